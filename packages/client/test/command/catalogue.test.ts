import { stat } from "node:fs/promises";
import { formatBytes } from "@dbdepot/terminal/format";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eitherStage } from "../../../../rigs/harness/service/stages.ts";
import type { Limits } from "../../../server/src/domain/limits/limits.ts";
import { updateOrganization } from "../../../server/src/domain/organizations/organizations.ts";
import { updateUsage } from "../../../server/src/domain/usage/update.ts";
import { Shell } from "./shell.ts";

for (const stage of eitherStage()) {
  describe(`commands on ${stage.name}`, () => {
    let shell: Shell;
    beforeAll(async () => {
      shell = await Shell.open({}, stage);
      await shell.publish("vpn_ip_v1", { rows: 12 });
      for (const id of ["bogon_ip_v1", "tor_ip_v1"]) await shell.publish(id);
    });
    afterAll(() => shell.dispose());

    it("list shows every database and its standing", async () => {
      const { out, exitCode, err } = await shell.run("list");
      expect({ exitCode, err }).toEqual({ exitCode: 0, err: "" });
      expect(out).toMatch(/^ID +STANDING +UNTIL +FORMATS +SUMMARY$/m);
      expect(out).toMatch(/^vpn_ip_v1 +licensed +- +csvgz,mmdb +What vpn_ip_v1 contains$/m);
      expect(out).toMatch(/^tor_ip_v1 +unlicensed/m);
      expect((await shell.run("list", "--licensed")).out).not.toContain("tor_ip_v1");
      expect((await shell.json(0, "list")).map(({ base }: { base: string }) => base)).toEqual([
        "bogon_ip",
        "tor_ip",
        "vpn_ip",
      ]);
    });

    it.each([
      ["vpn_ip", "vpn_ip_v1"],
      ["VPN_ip_v9", "vpn_ip_v1"],
      ["bogon", "bogon_ip_v1"],
    ])("suggests the id that was meant by %s", async (id, meant) => {
      const advice = `did you mean ${meant}? "dbdepot list" shows the ids`;
      for (const argv of [
        ["download", id],
        ["download", id, "--format", "mmdb"],
        ["info", id],
        ["changes", id],
      ]) {
        const { exitCode, err } = await shell.run(...argv);
        expect({ exitCode, err }).toEqual({ exitCode: 1, err: expect.stringContaining(advice) });
      }
      expect((await shell.run("sync", id)).out).toContain(advice);
      for (const other of ["xx", "nothing_v1"]) {
        expect((await shell.run("download", other)).err).toMatch(
          /UNKNOWN_DATASET\), request [^ ]+: "dbdepot list" shows/,
        );
      }
    });

    it.each([80, 40])("list fits %i columns, in colour unless NO_COLOR is set", async (columns) => {
      const { out } = await shell.runWith({ columns }, "list");
      expect(out).toContain("\x1b[32mlicensed\x1b[0m");
      const plain = (await shell.runWith({ columns, NO_COLOR: "1" }, "list")).out;
      expect(plain).not.toContain("\x1b");
      expect(Math.max(...plain.split("\n").map((line) => line.length))).toBeLessThanOrEqual(columns);
    });

    it("changes shows what the last build changed, and writes the rows", async () => {
      const { buildId } = await shell.publish("bogon_ip_v1", { rows: 102, mark: "new " });
      const { out, exitCode } = await shell.run("changes", "bogon_ip_v1");
      expect(exitCode).toBe(0);
      expect(out).toMatch(/^added +2$/m);
      expect(out).toMatch(/^changed +100$/m);
      expect(out).toMatch(/^provider +100$/m);
      expect(out).toMatch(/^changed +192.0.2.0\/32 +One/m);
      expect(await shell.json(0, "changes", "bogon_ip_v1")).toMatchObject({ to: { build_id: buildId } });
      const rows = await shell.ended(shell.spawn(["changes", "bogon_ip_v1", "--rows"]));
      expect(rows.out.match(/^(added|changed),/gm)).toHaveLength(102);
      const refused = await shell.run("changes", "tor_ip_v1");
      expect([refused.exitCode, refused.err]).toEqual([4, expect.stringContaining("NOT_LICENSED")]);
    });

    it("info shows licence, build and columns", async () => {
      const { out, exitCode } = await shell.run("info", "vpn_ip_v1");
      expect(exitCode).toBe(0);
      expect(out).toMatch(/^standing +licensed \(internal\)$/m);
      expect(out).toMatch(/^rows +12$/m);
      expect(out).toMatch(/^network +string/m);
      const document = await shell.json(0, "info", "vpn_ip_v1");
      expect(document).toMatchObject({ id: "vpn_ip_v1", refusal: null, metadata: { entries: 12 } });
      expect(document.build_id).toMatch(/^[0-9a-f-]{36}$/);
    });

    it("info shows the formats, rows and sizes of samples", async () => {
      await shell.test.operator.addDatabase("vpn_ip_v2");
      await shell.publish("vpn_ip_v2", { rows: 12, sampleRows: 3 });
      const { out } = await shell.run("info", "vpn_ip_v2");
      expect(out).toMatch(/^samples +csvgz, mmdb$/m);
      expect(out).toMatch(/^sample rows +3$/m);
      expect(out).toMatch(/^sample csvgz +\d+ B$/m);
      await shell.test.operator.addDatabase("sampled_ip_v1");
      await shell.publish("sampled_ip_v1", { sampleRows: 3 });
      const unlicensed = await shell.run("info", "sampled_ip_v1");
      expect([unlicensed.exitCode, unlicensed.out]).toEqual([4, expect.stringMatching(/^samples +csvgz, mmdb$/m)]);
    });

    it("info shows the catalogue entry of a database without a licence, and exits with 4", async () => {
      const { out, exitCode } = await shell.run("info", "tor_ip_v1");
      expect(exitCode).toBe(4);
      expect(out).toMatch(/^summary +What tor_ip_v1 contains$/m);
      expect(out).toMatch(
        /^build +your organization has no licence .*NOT_LICENSED.*request \S+: ask your vendor for a licence$/m,
      );
      await shell.test.operator.addDatabase("bogon_ip_v3");
      expect((await shell.run("info", "bogon_ip_v3")).out).toContain("NOT_AVAILABLE");
    }, 60_000);

    it("info explains an unknown id in one line", async () => {
      const { out, err, exitCode } = await shell.run("info", "nothing_v1");
      expect({ out, exitCode }).toEqual({ out: "", exitCode: 1 });
      expect(err).toMatch(/^dbdepot info: .*UNKNOWN_DATASET.*request \S+: "dbdepot list" shows the ids\n$/);
    });

    it("history shows attempts, including refused ones", async () => {
      await shell.customer.download("vpn_ip_v1", "mmdb");
      await shell.customer.download("tor_ip_v1", "mmdb");
      const { out } = await shell.run("history", "--limit", "2");
      const lines = out.trimEnd().split("\n");
      expect(lines).toHaveLength(3);
      expect(lines[1]).toMatch(/denied +tor_ip_v1 +mmdb +- /);
      expect(lines[2]).toMatch(/ok +vpn_ip_v1 +mmdb +\d+\.\d KiB/);
      expect(await shell.json(0, "history", "--limit", "1")).toHaveLength(1);
    });

    it("usage reports months, days or databases, with totals and whether they are final", async () => {
      const { customer, test } = shell;
      const day = test.clock.now().toISOString().slice(0, 10);
      await customer.download("vpn_ip_v1", "csvgz");
      await customer.download("tor_ip_v1", "mmdb");
      const update = () => {
        test.clock.advance("120 seconds");
        return updateUsage({ usage: test.service.services.store.usage, clock: test.clock.now, by: "the test" });
      };
      await expect.poll(update).toBe(true);
      const { usage, totals, updated } = await shell.json(0, "usage");
      expect(updated).toBe(test.clock.now().toISOString());
      expect(usage).toEqual([{ ...totals, period: day.slice(0, 7), dataset_id: null, format: null, closed: false }]);
      const { first_downloads: first, repeats, refused } = totals;
      expect(first).toBeGreaterThan(0);

      const months = await shell.run("usage");
      expect(months).toMatchObject({ exitCode: 0, err: "" });
      const lines = months.out.split("\n").map((line) => line.split(/ {2,}/));
      expect(lines[0]).toEqual("MONTH,NEW BUILDS,REPEATS,REFUSED,BYTES,SAVED,KEYS/DAY,ADDRESSES/DAY,STATE".split(","));
      const counts = [
        `${first}`,
        `${repeats}`,
        `${refused}`,
        formatBytes(totals.bytes),
        formatBytes(totals.saved_bytes),
        "1",
        "1",
      ];
      expect(lines[1]).toEqual([day.slice(0, 7), ...counts, "open"]);
      expect(lines[2]).toEqual(["TOTAL", ...counts]);
      expect(months.out).toMatch(
        /\n\nCounted up to \d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ, without samples\. SAVED is what patches saved\.\n$/,
      );

      const days = (await shell.run("usage", "--by", "day", "--from", day)).out;
      expect(days).toMatch(/^DAY .* KEYS +ADDRESSES +STATE$/m);
      expect(days).toMatch(new RegExp(`^${day} +${first} +${repeats} +${refused} `, "m"));
      const databases = (await shell.run("usage", "--by", "database")).out;
      expect(databases).toMatch(/^DATABASE +FORMAT +NEW BUILDS /);
      expect(databases).toMatch(/^tor_ip_v1 +mmdb +0 +0 +\d+ +0 B +0 B +1 +1 +open$/m);
      expect((await shell.run("usage", "--to", "2020-01-01")).out).toMatch(/^No downloads found\.\n/);
    });

    it.each([
      [["--from", "yesterday"], 2, "argument 'yesterday' is invalid. Use a date like 2027-01-31"],
      [["--to", "2027-13-01"], 2, "Use a date like 2027-01-31"],
      [["--from", "2027-02-01", "--to", "2027-01-01"], 1, "that the end is later than the start"],
      [["--by", "day", "--from", "2020-01-01", "--to", "2027-01-01"], 1, "covers at most 400 days"],
      [["--by", "week"], 2, "Allowed choices are day, month, database"],
    ])("usage says what is wrong with %j", async (argv, exitCode, says) => {
      const result = await shell.run("usage", ...argv);
      expect({ exitCode: result.exitCode, out: result.out }).toEqual({ exitCode, out: "" });
      expect(result.err).toContain(says);
    });

    it("limits shows what is used of them, or that there are none", async () => {
      expect((await shell.run("limits")).out).toBe("Your organization has no limits.\n");
      const change = (limits: Partial<Limits>) =>
        updateOrganization(shell.test.operator.operation(), "Acme", { limits }).then(() =>
          shell.test.operator.settle(),
        );
      await change({ downloads_per_day: 1000, bytes_per_month: 5e9, requests_per_minute: 600 });
      const { out } = await shell.run("limits");
      expect(out).toMatch(/^LIMIT +ALLOWED +USED +RESETS$/m);
      expect(out).toMatch(/^requests per minute +600 +- +-$/m);
      expect(out).toMatch(/^downloads per day +1000 +\d+ +\d{4}-\d\d-\d\d 00:00:00Z$/m);
      expect(out).toMatch(/^bytes per month +5 GB +[\d.e-]+ GB +\d{4}-\d\d-01 00:00:00Z$/m);
      expect(await shell.json(0, "limits")).toContainEqual(
        expect.objectContaining({ limit: "downloads_per_day", allowed: 1000 }),
      );
      await change({ downloads_per_day: null, bytes_per_month: null, requests_per_minute: null });
    });

    it("keys creates, lists, updates, rotates and revokes keys", async () => {
      const created = await shell.json(0, "keys", "create", "--name", "cron", "--expires", "2999-01-31");
      expect(created).toMatchObject({ name: "cron", allowed_scopes: ["db.download"] });
      expect((await shell.runWith({ DBDEPOT_CLIENT_KEY: created.key }, "list")).exitCode).toBe(0);
      expect((await shell.run("keys", "list")).out).toMatch(
        new RegExp(`^${created.key_prefix} +cron +active +2999-01-31 +db.download .*${created.id}$`, "m"),
      );
      expect(await shell.json(0, "keys", "update", created.id, "--name", "timer", "--expires", "never")).toMatchObject({
        name: "timer",
        expires: null,
      });
      const { expires } = await shell.json(0, "keys", "update", created.id, "--expires", "90d");
      expect((Date.parse(expires) - Date.now()) / 86_400_000).toBeCloseTo(90, 1);
      const rotated = await shell.json(0, "keys", "rotate", created.id);
      expect(rotated.key).not.toBe(created.key);
      expect((await shell.runWith({ DBDEPOT_CLIENT_KEY: created.key }, "list")).exitCode).toBe(3);
      expect((await shell.run("keys", "revoke", created.id)).out).toMatch(/^state +revoked$/m);
      expect((await shell.runWith({ DBDEPOT_CLIENT_KEY: rotated.key }, "list")).exitCode).toBe(3);
    });

    it("history filters by time, database and outcome", async () => {
      await shell.customer.download("vpn_ip_v1", "csvgz");
      await shell.customer.download("tor_ip_v1", "mmdb");
      const all = await shell.json(0, "history", "--limit", "1000");
      const filtered = async (...argv: string[]) => shell.json(0, "history", "--limit", "1000", ...argv);
      type Attempt = (typeof all)[number];
      expect(await filtered("--database", "tor_ip_v1")).toEqual(
        all.filter(({ dataset_id }: Attempt) => dataset_id === "tor_ip_v1"),
      );
      expect(await filtered("--outcome", "ok")).toEqual(all.filter(({ outcome }: Attempt) => outcome === "ok"));
      expect(await shell.json(0, "history", "--outcome", "denied", "--limit", "1")).toHaveLength(1);
      const { created } = all[Math.floor(all.length / 2)];
      expect(await filtered("--since", created)).toEqual(all.filter((one: Attempt) => one.created >= created));
      expect(await filtered("--until", created)).toEqual(all.filter((one: Attempt) => one.created < created));
      expect(await filtered("--since", "2999-01-01")).toEqual([]);
      expect(await filtered("--since", "90000d")).toEqual(all);
      expect((await shell.run("history", "--since", "lately")).err).toContain("Use a time like 2026-11-01");
      expect((await shell.run("history", "--outcome", "fine")).exitCode).toBe(2);
    });

    it("keys accepts the unique beginning of an id or prefix, and a whole key without repeating it", async () => {
      const { id, key, key_prefix } = await shell.json(0, "keys", "create", "--name", "found");
      for (const text of [id, key_prefix, key_prefix.slice(0, -1), key]) {
        expect(await shell.json(0, "keys", "update", text, "--name", "still found")).toMatchObject({ id });
      }
      const ambiguous = await shell.run("keys", "revoke", "dbd_");
      expect(ambiguous.exitCode).toBe(1);
      expect(ambiguous.err).toMatch(/"dbd_" matches \d+ keys; use more characters: dbd_/);
      const unknown = await shell.run("keys", "revoke", `dbd_zzzzzzzz_${"s".repeat(38)}`);
      expect(unknown.err).toMatch(/no key has an id or prefix that begins with "dbd_zzzzzzzz": "dbdepot keys list"/);
      expect(await shell.json(0, "keys", "rotate", key_prefix, "--overlap", "1h")).toMatchObject({ id });
      expect((await shell.run("keys", "list")).out).toMatch(/LAST USED +OLD SECRET UNTIL +ID\n/);
      expect(await shell.json(0, "keys", "end-overlap", id)).toMatchObject({ id });
      expect(await shell.json(0, "keys", "revoke", id.slice(0, -1))).toMatchObject({ id });
    });

    it("keys create --save writes the secret to a file with mode 0600", async () => {
      const path = shell.path("new.key");
      const { out, exitCode } = await shell.run("keys", "create", "--name", "saved", "--save", path);
      expect(exitCode).toBe(0);
      expect(out).not.toMatch(/dbd_\w{8}_\w/);
      expect((await stat(path)).mode & 0o777).toBe(0o600);
      expect((await shell.runWith({ DBDEPOT_CLIENT_KEY: "", DBDEPOT_CLIENT_KEY_FILE: path }, "list")).exitCode).toBe(0);
      const before = (await shell.json(0, "keys", "list")).length;
      expect((await shell.run("keys", "create", "--name", "again", "--save", path)).exitCode).toBe(1);
      expect(await shell.json(0, "keys", "list")).toHaveLength(before);
    });

    it("exits with 3 for a refused key, without repeating it", async () => {
      const { key } = shell.customer;
      const wrong = key.slice(0, -1) + (key.endsWith("x") ? "y" : "x");
      for (const argv of [
        ["list"],
        ["history"],
        ["info", "vpn_ip_v1"],
        ["sync", "vpn_ip_v1"],
        ["download", "vpn_ip_v1"],
      ]) {
        const { exitCode, out, err } = await shell.runWith({ DBDEPOT_CLIENT_KEY: wrong }, ...argv);
        expect({ argv, exitCode }).toEqual({ argv, exitCode: 3 });
        expect(out + err).toContain(
          "the key is mistyped, revoked or expired, or may not be used from this address (401",
        );
        expect(out + err).not.toContain(wrong.slice(14));
      }
    });

    it("says which scope a key lacks", async () => {
      const { key } = await shell.json(0, "keys", "create", "--name", "reader");
      const { exitCode, err } = await shell.runWith({ DBDEPOT_CLIENT_KEY: key }, "keys", "list");
      expect(exitCode).toBe(3);
      expect(err).toMatch(
        /the key does not have the scope apikeys\.read \(401 UNAUTHORIZED\), request \S+: use another/,
      );
    });

    it("says that a database is not available in a format, and where to see its formats", async () => {
      await shell.test.operator.addDatabase("bogon_ip_v2", { formats: ["csvgz"] });
      const { exitCode, err } = await shell.run("download", "bogon_ip_v2", "--format", "mmdb");
      expect(exitCode).toBe(1);
      expect(err).toMatch(/not available in this format \(400 INVALID_FORMAT\), request \S+: "dbdepot list" shows/);
    });

    it.each([
      [["--name", ""], "the name must have 1 to 100 characters"],
      [["--name", "x", "--scopes", "db.upload"], '"db.upload" is not one of the scopes db.download, apikeys.manage'],
      [["--name", "x", "--cidrs", "home,10.0.0.0/8"], '"home" is not a network like'],
      [["--name", "x", "--expires", "2020-01-01"], "2020-01-01T00:00:00Z is in the past"],
      [["--name", "x", "--cidrs", "10.0.0.1/8"], "check that networks end in zeros, like 10.0.0.0/8"],
    ])("says why a new key is rejected: %j", async (argv, says) => {
      const { exitCode, err } = await shell.run("keys", "create", ...argv);
      expect(exitCode).toBe(1);
      expect(err).toContain("(400 INVALID_REQUEST): ");
      expect(err).toContain(says);
    });

    it("advises to check the URL, not to run list, if the URL has a wrong path", async () => {
      const { exitCode, err } = await shell.run("list", "--url", `${shell.customer.apiUrl}/api`);
      expect(exitCode).toBe(1);
      expect(err).toContain("check the service's URL: it must not contain a path such as /api");
    });

    it.each([
      [
        ["keys", "create", "--name", "x", "--expires", "soon"],
        "Use a date like 2027-01-31 or 2027-01-31T12:00:00Z, or a duration like 90d",
      ],
      [["keys", "update", "some-id"], "nothing to change"],
      [["history", "--limit", "0"], "--limit"],
      [["download", "vpn_ip_v1", "--format", "zip"], "Allowed choices are mmdb, csvgz"],
      [["completion", "tcsh"], "Allowed choices are bash, zsh, fish"],
      [["sync"], "no database given: pass an id, use --all, or set DBDEPOT_CLIENT_DATABASES"],
      [["verify"], "no database given: pass an id, or set DBDEPOT_CLIENT_DATABASES"],
      [["sync", "vpn-ip"], '"vpn-ip" is not a database id'],
      [["sync", "vpn_ip_v1", "--parallel", "x"], '--parallel: "x" is not a whole number from 1 to 16'],
    ])("exits with 2 for invalid usage: %j", async (argv, says) => {
      const { exitCode, out, err } = await shell.run(...argv);
      expect({ exitCode, out }).toEqual({ exitCode: 2, out: "" });
      expect(err).toContain(says);
    });
  });
}
