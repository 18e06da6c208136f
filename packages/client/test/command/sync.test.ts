import { readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { eitherStage } from "../../../../rigs/harness/service/stages.ts";
import { withdrawBuild } from "../../../server/src/domain/builds/rollback.ts";
import { updateOrganization } from "../../../server/src/domain/organizations/organizations.ts";
import { Shell } from "./shell.ts";

const FILE = "vpn_ip_v1.mmdb";

for (const stage of eitherStage()) {
  describe(`sync on ${stage.name}`, () => {
    let shell: Shell;
    beforeAll(async () => {
      shell = await Shell.open({}, stage);
    });
    afterAll(() => shell.dispose());

    it("downloads new builds, and leaves current files alone", async () => {
      const first = await shell.publish("vpn_ip_v1", { updated: "2026-11-01", mark: "one" });
      const document = await shell.json(0, "sync", "vpn_ip_v1");
      expect(document).toMatchObject({ ok: true, changed: 1, unchanged: 0, failed: 0, hook: null });
      expect(document.files).toEqual([
        {
          database: "vpn_ip_v1",
          format: "mmdb",
          file: FILE,
          result: "changed",
          build_id: first.buildId,
          updated: "2026-11-01",
          size_bytes: first.files.mmdb?.length,
          received_bytes: first.files.mmdb?.length,
          method: "file",
          patch_failure: null,
          current_as_of: null,
          valid_until: null,
        },
      ]);
      expect(await readFile(shell.database(FILE))).toEqual(first.files.mmdb);
      const before = await stat(shell.database(FILE));
      const attempts = (await shell.customer.history()).length;
      expect(await shell.json(0, "sync", "vpn_ip_v1")).toMatchObject({ changed: 0, unchanged: 1 });
      expect((await stat(shell.database(FILE))).ino).toBe(before.ino);
      expect(await shell.customer.history()).toHaveLength(attempts);

      const second = await shell.publish("vpn_ip_v1", { updated: "2026-11-02", mark: "two" });
      const { out } = await shell.run("sync", "vpn_ip_v1");
      expect(out).toMatch(
        /^changed {4}vpn_ip_v1\.mmdb: build from 2026-11-02, \d+\.\d KiB\n\S+Z {2}1 changed, 0 unchanged, 0 failed\n$/,
      );
      expect(await readFile(shell.database(FILE))).toEqual(second.files.mmdb);
      expect(await shell.names()).toEqual([FILE]);
    });

    it("fails with the reason and the time if a limit is used up, and continues when it is not", async () => {
      const { operator } = shell.test;
      const limit = async (downloads_per_day: number | null) => {
        await updateOrganization(operator.operation(), "Acme", { limits: { downloads_per_day } });
        await operator.settle();
      };
      await shell.publish("vpn_ip_v1", { updated: "2026-11-02", mark: "limited" });
      await shell.customer.download("vpn_ip_v1", "mmdb");
      await limit(1);
      const { out, exitCode } = await shell.run("sync", "vpn_ip_v1");
      expect(exitCode).toBe(1);
      expect(out).toMatch(
        /FAILED +vpn_ip_v1\S*: your organization has used all its downloads for today; the limit resets at \S+ 00:00 UTC \(429 DOWNLOADS_USED_UP\), request \S+: ask your vendor for a higher limit/,
      );
      await limit(null);
      expect(await shell.json(0, "sync", "vpn_ip_v1")).toMatchObject({ changed: 1 });
    });

    it("shows what it would do with --dry-run, and changes nothing", async () => {
      const before = await shell.status();
      const live = await readFile(shell.database(FILE));
      const { files } = await shell.publish("vpn_ip_v1", { updated: "2026-11-03", mark: "three" });
      const attempts = (await shell.customer.history()).length;
      const argv = ["sync", "vpn_ip_v1", "--dry-run", "--hook", "touch hooked"];
      const { out, exitCode } = await shell.run(...argv);
      expect(exitCode).toBe(0);
      expect(out).toMatch(/^changed {4}vpn_ip_v1\.mmdb: build from 2026-11-03, .* KiB, would be downloaded$/m);
      expect(out).toContain("(dry run: nothing was changed)");
      const sizeBytes = files.mmdb?.length;
      expect(await shell.json(0, ...argv)).toMatchObject({
        dry_run: true,
        changed: 1,
        files: [{ size_bytes: sizeBytes }],
      });
      expect(await shell.status()).toEqual(before);
      expect(await readFile(shell.database(FILE))).toEqual(live);
      expect(await shell.names()).toEqual([FILE]);
      expect(await shell.customer.history()).toHaveLength(attempts);
      const elsewhere = shell.path("not-there");
      expect((await shell.run("sync", "vpn_ip_v1", "--dry-run", "--directory", elsewhere)).exitCode).toBe(0);
      await expect(stat(elsewhere)).rejects.toThrow("ENOENT");
      expect((await shell.run("sync", "vpn_ip_v1", "--dry-run", "--watch")).exitCode).toBe(2);
    });

    it("says what it does with --verbose", async () => {
      const { err } = await shell.run("sync", "vpn_ip_v1", "--verbose");
      expect(err).toMatch(/^vpn_ip_v1: the current build \S+ is from 2026-11-03$/m);
      expect(err).toMatch(/^vpn_ip_v1\.mmdb: downloading build \S+$/m);
      expect(err).toMatch(/^vpn_ip_v1\.mmdb: verified \d+ bytes, sha256 [0-9a-f]{64}$/m);
      expect((await shell.run("sync", "vpn_ip_v1", "--verbose")).err).toMatch(/^vpn_ip_v1: no new build since \S+$/m);
    });

    it("downloads everything that is licensed with --all, in the formats that exist", async () => {
      await shell.publish("bogon_ip_v1");
      await shell.test.operator.addDatabase("rare_ip_v1", { formats: ["csvgz"] });
      await shell.test.operator.grant("Acme", "rare_ip");
      await shell.publish("rare_ip_v1", { formats: ["csvgz"] });
      const directory = ["--directory", shell.path("everything")];
      const names = async (...argv: string[]) =>
        (await shell.json(0, "sync", "--all", ...directory, ...argv)).files.map(({ file }: { file: string }) => file);
      expect(await names()).toEqual(["bogon_ip_v1.mmdb", "rare_ip_v1.csv.gz", FILE]);
      expect(await names("--formats", "mmdb")).toEqual(["bogon_ip_v1.mmdb", FILE]);
      expect((await shell.run("sync", "vpn_ip_v1", "--all")).exitCode).toBe(2);
      const down = await shell.runWith({ DBDEPOT_CLIENT_KEY: "wrong" }, "sync", "--all", ...directory);
      expect(down.exitCode).toBe(3);
      expect(down.out).toMatch(/^FAILED {5}catalogue: the key is mistyped/m);
    });

    it("skips licensed databases without a build with --all, but fails if one is named", async () => {
      const { operator } = shell.test;
      await operator.addDatabase("vpn_ip_v2");
      await withdrawBuild(operator.operation(), (await operator.publish("vpn_ip_v2")).id);
      await operator.settle();
      const { exitCode, out, err } = await shell.run(
        "sync",
        "--all",
        "--verbose",
        "--directory",
        shell.path("everything"),
      );
      expect([exitCode, out]).toEqual([0, expect.not.stringContaining("vpn_ip_v2")]);
      expect(err).toContain("vpn_ip_v2: no build has been published yet");
      expect((await shell.run("sync", "vpn_ip_v2")).exitCode).toBe(1);
    });

    it("prints nothing with --quiet if nothing has changed", async () => {
      expect(await shell.run("sync", "vpn_ip_v1", "--quiet")).toEqual({ exitCode: 0, out: "", err: "" });
    });

    it("downloads a deleted or modified file again", async () => {
      const good = await readFile(shell.database(FILE));
      await rm(shell.database(FILE));
      expect(await shell.json(0, "sync", "vpn_ip_v1")).toMatchObject({ changed: 1 });
      for (const bad of [Buffer.from("short"), Buffer.concat([good.subarray(1), Buffer.from("x")])]) {
        await writeFile(shell.database(FILE), bad);
        expect(await shell.json(0, "sync", "vpn_ip_v1")).toMatchObject({ changed: 1 });
        expect(await readFile(shell.database(FILE))).toEqual(good);
      }
    });

    it("does not download a file again if only its modification time has changed", async () => {
      await utimes(shell.database(FILE), new Date(), new Date(0));
      expect(await shell.json(0, "sync", "vpn_ip_v1")).toMatchObject({ changed: 0, unchanged: 1 });
    });

    it("recognizes a current file without a record", async () => {
      for (const spoil of [
        () => rm(shell.database(".dbdepot-status.json")),
        () => writeFile(shell.database(".dbdepot-status.json"), "{"),
      ]) {
        await spoil();
        const attempts = (await shell.customer.history()).length;
        const { files } = await shell.json(0, "sync", "vpn_ip_v1");
        expect(files[0]).toMatchObject({ result: "unchanged" });
        expect(await shell.customer.history()).toHaveLength(attempts);
        expect(await shell.json(0, "sync", "vpn_ip_v1")).toMatchObject({ unchanged: 1 });
      }
    });

    it("downloads a current file with --force", async () => {
      expect((await shell.json(0, "sync", "vpn_ip_v1", "--force")).files[0].received_bytes).toBeGreaterThan(0);
    });

    it("downloads all requested formats", async () => {
      const document = await shell.json(0, "sync", "vpn_ip_v1", "--formats", "mmdb,csvgz");
      expect(document).toMatchObject({ changed: 1, unchanged: 1 });
      expect(await shell.names()).toEqual(["vpn_ip_v1.csv.gz", FILE]);
      expect(await shell.json(0, "sync", "vpn_ip_v1", "--formats", "mmdb,csvgz")).toMatchObject({ unchanged: 2 });
    });

    it("downloads a database once if it is named twice", async () => {
      const { files } = await shell.json(0, "sync", "vpn_ip_v1", "vpn_ip_v1", "--force");
      expect(files).toHaveLength(1);
    });

    it("downloads mmdb by default, regardless of earlier requests", async () => {
      await shell.publish("bogon_ip_v1", { mark: "formats" });
      await shell.json(0, "sync", "bogon_ip_v1", "--formats", "csvgz");
      expect((await shell.json(0, "sync", "bogon_ip_v1")).files).toMatchObject([{ format: "mmdb", result: "changed" }]);
      await shell.publish("bogon_ip_v1", { mark: "again" });
      for (const result of ["changed", "unchanged"]) {
        expect((await shell.json(0, "sync", "bogon_ip_v1")).files).toMatchObject([{ format: "mmdb", result }]);
      }
    });

    it("updates databases independently, and reports failures by the exit code", async () => {
      await shell.publish("bogon_ip_v1", { mark: "alone" });
      const { exitCode, out } = await shell.run("sync", "tor_ip_v1", "bogon_ip_v1", "nothing_v1");
      expect(exitCode).toBe(1);
      expect(out).toMatch(/^FAILED {5}tor_ip_v1: .*NOT_LICENSED/m);
      expect(out).toMatch(/^changed {4}bogon_ip_v1\.mmdb/m);
      expect(out).toMatch(/^FAILED {5}nothing_v1: .*UNKNOWN_DATASET/m);
      expect((await shell.run("sync", "tor_ip_v1", "bogon_ip_v1")).exitCode).toBe(4);
      expect((await shell.status()).failures).toMatchObject({ tor_ip_v1: { kind: "not_licensed" } });
    });

    it("ignores records made for another service", async () => {
      expect((await shell.status()).service).toBe(shell.customer.apiUrl);
      const url = shell.customer.apiUrl.replace("127.0.0.1", "localhost");
      const { exitCode, out } = await shell.runWith({ DBDEPOT_CLIENT_URL: url }, "sync", "bogon_ip_v1");
      expect(exitCode).toBe(0);
      expect(out).toContain("0 changed, 1 unchanged");
      expect((await shell.status()).service).toBe(url);
    });
  });
}

describe("sync with old copies", () => {
  let shell: Shell;
  beforeEach(async () => {
    shell = await Shell.open();
  });
  afterEach(() => shell.dispose());

  it("keeps the requested number of copies, named by the date of their build", async () => {
    const builds = [];
    for (const day of ["2026-11-01", "2026-11-02", "2026-11-02", "2026-11-03"]) {
      builds.push(await shell.publish("vpn_ip_v1", { updated: day, mark: `${day} ${builds.length}` }));
      expect((await shell.run("sync", "vpn_ip_v1", "--keep", "2")).exitCode).toBe(0);
    }
    expect(await shell.names()).toEqual(["vpn_ip_v1.2026-11-02-2.mmdb", "vpn_ip_v1.2026-11-02.mmdb", FILE]);
    // A file that is downloaded again is not an old copy of itself.
    expect((await shell.run("sync", "vpn_ip_v1", "--keep", "2", "--force")).exitCode).toBe(0);
    const contents = await Promise.all((await shell.names()).map((name) => readFile(shell.database(name))));
    expect(contents).toEqual([builds[2]?.files.mmdb, builds[1]?.files.mmdb, builds[3]?.files.mmdb]);
  });

  it.each([
    ["recorded", async () => {}],
    ["not recorded", () => rm(shell.database(".dbdepot-status.json"))],
  ])("does not keep a damaged file in place of a good old copy (%s)", async (_, prepare) => {
    const first = await shell.publish("vpn_ip_v1", { updated: "2026-11-01", mark: "one" });
    await shell.run("sync", "vpn_ip_v1", "--keep", "1");
    await shell.publish("vpn_ip_v1", { updated: "2026-11-02", mark: "two" });
    await shell.run("sync", "vpn_ip_v1", "--keep", "1");
    await writeFile(shell.database(FILE), "damaged");
    await prepare();
    const third = await shell.publish("vpn_ip_v1", { updated: "2026-11-03", mark: "three" });
    expect((await shell.run("sync", "vpn_ip_v1", "--keep", "1")).exitCode).toBe(0);
    expect(await readFile(shell.database(FILE))).toEqual(third.files.mmdb);
    expect(await shell.names()).toEqual(["vpn_ip_v1.2026-11-01.mmdb", FILE]);
    expect(await readFile(shell.database("vpn_ip_v1.2026-11-01.mmdb"))).toEqual(first.files.mmdb);
  });

  it("keeps no copy if the file was not replaced", async () => {
    await shell.publish("vpn_ip_v1", { mark: "one" });
    await shell.run("sync", "vpn_ip_v1", "--keep", "2");
    const good = await readFile(shell.database(FILE));
    await shell.publish("vpn_ip_v1", { mark: "two" });
    // The storage has lost the file.
    const { service } = shell.test;
    for await (const { key } of service.services.objects.list("")) await service.services.objects.remove(key);
    expect((await shell.run("sync", "vpn_ip_v1", "--keep", "2")).exitCode).toBe(1);
    expect(await shell.names()).toEqual([FILE]);
    expect(await readFile(shell.database(FILE))).toEqual(good);
    expect((await shell.status()).failures).toMatchObject({ [FILE]: { kind: "storage" } });
  });
});

describe("sync with a hook", () => {
  let shell: Shell;
  beforeAll(async () => {
    shell = await Shell.open();
    await shell.publish("vpn_ip_v1", { mark: "one" });
    await shell.publish("bogon_ip_v1", { mark: "one" });
  });
  afterAll(() => shell.dispose());
  const both = ["vpn_ip_v1", "bogon_ip_v1"];

  it("runs once after a change, and gets the changed files but not the key", async () => {
    const hook =
      'echo noise; env | grep "^DBDEPOT" | sort > seen.txt; echo "files $DBDEPOT_CHANGED_FILES" >> seen.txt; pwd >> seen.txt';
    const old = { DBDEPOT_API_KEY: shell.customer.key };
    const { out, err, exitCode } = await shell.runWith(old, "sync", ...both, "--hook", hook);
    expect(exitCode).toBe(0);
    expect(out).not.toContain("noise");
    expect(err).toContain("noise");
    const seen = await readFile(shell.database("seen.txt"), "utf8");
    expect(seen).toContain("DBDEPOT_CHANGED=bogon_ip_v1.mmdb vpn_ip_v1.mmdb\n");
    expect(seen).toContain("DBDEPOT_CHANGED_IDS=bogon_ip_v1 vpn_ip_v1\n");
    expect(seen).toContain(`files ${shell.database("bogon_ip_v1.mmdb")}\n${shell.database(FILE)}\n`);
    expect(seen).toContain(`DBDEPOT_DIRECTORY=${shell.path("databases")}`);
    expect(seen).not.toMatch(/^DBDEPOT_(CLIENT|API)_KEY=/m);
    await rm(shell.database("seen.txt"));
  });

  it("does not run if nothing has changed", async () => {
    expect((await shell.json(0, "sync", ...both, "--hook", "touch seen.txt")).hook).toBeNull();
    expect(await shell.names()).not.toContain("seen.txt");
  });

  it("runs again after a failure, even if nothing has changed since", async () => {
    await shell.publish("vpn_ip_v1", { mark: "two" });
    const failed = await shell.run("sync", ...both, "--hook", "exit 3");
    expect(failed.exitCode).toBe(1);
    expect(failed.out).toMatch(/^FAILED {5}hook: exited with 3; the next round runs it again$/m);
    expect(await readFile(shell.database(FILE))).toHaveProperty("length");
    const again = await shell.json(0, "sync", ...both, "--hook", 'printf %s "$DBDEPOT_CHANGED" > seen.txt');
    expect(again).toMatchObject({ changed: 0, hook: { ok: true, files: [FILE] } });
    expect(await readFile(shell.database("seen.txt"), "utf8")).toBe(FILE);
    expect((await shell.json(0, "sync", ...both, "--hook", "exit 3")).hook).toBeNull();
  });

  it("runs after the status file was lost only for files that it has not seen", async () => {
    const lost = async () => {
      await rm(shell.database(".dbdepot-status.json"));
      return shell.json(0, "sync", ...both, "--hook", 'printf %s "$DBDEPOT_CHANGED" > seen.txt');
    };
    expect(await lost()).toMatchObject({ changed: 0, unchanged: 2, hook: null });
    // A sync without the hook has downloaded a new build.
    await shell.publish("vpn_ip_v1", { mark: "three" });
    expect(await shell.json(0, "sync", ...both)).toMatchObject({ changed: 1 });
    expect(await lost()).toMatchObject({ changed: 0, unchanged: 2, hook: { ok: true, files: [FILE] } });
    expect(await lost()).toMatchObject({ changed: 0, hook: null });
    await rm(shell.database(".dbdepot-hook.json"));
    expect((await lost()).hook.files).toHaveLength(2);
  });

  it("runs for a file that another program has downloaded since the last round", async () => {
    await shell.publish("vpn_ip_v1", { mark: "four" });
    expect((await shell.run("download", "vpn_ip_v1", "--to", shell.path("databases"))).exitCode).toBe(0);
    const document = await shell.json(0, "sync", ...both, "--hook", "true");
    expect(document).toMatchObject({ changed: 1, files: [{ file: FILE, result: "changed", received_bytes: 0 }, {}] });
    expect(document.hook).toMatchObject({ ok: true, files: [FILE] });
  });
});

describe("the requests of sync", () => {
  let shell: Shell;
  beforeAll(async () => {
    shell = await Shell.open();
    await shell.publish("vpn_ip_v1", { mark: "one" });
  });
  afterAll(() => shell.dispose());

  it("are a single conditional request if there is no new build", async () => {
    const { url, seen } = await shell.inFront();
    const sync = (...argv: string[]) => shell.runWith({ DBDEPOT_CLIENT_URL: url }, "sync", "vpn_ip_v1", ...argv);
    await sync();
    seen.length = 0;
    expect((await sync()).exitCode).toBe(0);
    expect(seen).toEqual(["metadata 304"]);
    // The existing format is recognized by its build id.
    seen.length = 0;
    expect((await sync("--formats", "mmdb,csvgz")).out).toMatch(/1 changed, 1 unchanged/);
    expect(seen).toEqual(["metadata 200", "manifest 404", "download 302"]);
  });

  it("include a checksum if the service has neither ETags nor build ids", async () => {
    const plain = await shell.inFront((headers) => {
      for (const name of ["etag", "x-build-id", "repr-digest"]) delete headers[name];
    });
    const sync = () => shell.runWith({ DBDEPOT_CLIENT_URL: plain.url }, "sync", "vpn_ip_v1");
    await rm(shell.database(FILE));
    expect((await sync()).out).toMatch(/1 changed, 0 unchanged/);
    plain.seen.length = 0;
    expect((await sync()).out).toMatch(/0 changed, 1 unchanged/);
    expect(plain.seen).toEqual(["metadata 200", "manifest 404", "checksum 200"]);
    const { files } = await shell.publish("vpn_ip_v1", { mark: "two" });
    expect((await sync()).out).toMatch(/1 changed, 0 unchanged/);
    expect(await readFile(shell.database(FILE))).toEqual(files.mmdb);
    expect(
      (await shell.runWith({ DBDEPOT_CLIENT_URL: plain.url }, "verify", "vpn_ip_v1", "--formats", "mmdb")).exitCode,
    ).toBe(0);
  });
});
