import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { withdrawBuild } from "../../../server/src/domain/builds/rollback.ts";
import { addTerms } from "../../../server/src/domain/terms/add.ts";
import { Shell } from "./shell.ts";

const FILE = "vpn_ip_v1.mmdb";

describe("download", () => {
  let shell: Shell;
  beforeAll(async () => {
    shell = await Shell.open();
  });
  afterAll(() => shell.dispose());

  it("writes to a path or into a directory", async () => {
    const { files, buildId } = await shell.publish("vpn_ip_v1", { mark: "one" });
    await mkdir(shell.path("in"));
    for (const [to, path] of [
      [shell.path("a.mmdb"), shell.path("a.mmdb")],
      [shell.path("in"), shell.path("in", FILE)],
      [`${shell.path("in")}/`, shell.path("in", FILE)],
    ] as const) {
      const document = await shell.json(0, "download", "vpn_ip_v1", "--to", to);
      expect(document).toMatchObject({ id: "vpn_ip_v1", format: "mmdb", path, build_id: buildId });
      expect(await readFile(path)).toEqual(files.mmdb);
    }
  });

  it("prints the result, and picks a format if none is given", async () => {
    const { out } = await shell.run("download", "vpn_ip_v1", "--format", "csvgz", "--to", shell.path("a.csv.gz"));
    expect(out).toMatch(/^file +\S+a\.csv\.gz\nsize +\d+ bytes \(.* KiB\)\nsha256 +[0-9a-f]{64}\nbuild +\S+\n$/);
    await shell.test.operator.addDatabase("x_provider_v1", { formats: ["csvgz"] });
    await shell.test.operator.grant("Acme", "x_provider");
    await shell.publish("x_provider_v1", { formats: ["csvgz"] });
    expect(await shell.json(0, "download", "x_provider_v1", "--to", shell.path("x"))).toMatchObject({
      format: "csvgz",
    });
  });

  it("says where to accept the terms of a licence", async () => {
    const { operator } = shell.test;
    await operator.addDatabase("bound_ip_v1");
    await shell.publish("bound_ip_v1");
    await addTerms(operator.operation(), { name: "rules", title: "Rules", text: "Be nice." });
    await operator.grant("Acme", "bound_ip", { terms: "rules" });
    const { exitCode, err } = await shell.run("download", "bound_ip_v1", "--to", shell.path("bound"));
    expect(exitCode).toBe(4);
    expect(err).toContain(
      `an admin can accept them at ${shell.test.service.apiUrl}/console/terms (403 TERMS_NOT_ACCEPTED)`,
    );
    expect((await shell.run("list")).out).toMatch(/^bound_ip_v1 +licensed, terms not accepted /m);
    expect((await shell.run("info", "bound_ip_v1")).out).toMatch(/^terms +rules@1, not accepted yet$/m);
  });

  it("leaves one refusal in the history per run, whichever request was refused", async () => {
    const id = "tor_ip_v1";
    await shell.publish(id);
    const refusals = async () => (await shell.json(0, "history", "--database", id, "--outcome", "denied")).length;
    const existing = shell.path("existing.mmdb");
    await writeFile(existing, "x");
    for (const argv of [
      ["sync", id],
      ["sync", id, "--formats", "csvgz,mmdb"],
      ["download", id, "--to", shell.path("refused")],
      ["download", id, "--to", existing, "--format", "mmdb"],
      ["download", id, "--to", shell.path("refused"), "--format", "mmdb"],
      ["download", id, "--to", shell.path("refused"), "--format", "mmdb", "--delivery", "stream"],
    ]) {
      const before = await refusals();
      expect((await shell.run(...argv)).exitCode).toBe(4);
      expect({ argv, added: (await refusals()) - before }).toEqual({ argv, added: 1 });
    }
    const before = await refusals();
    await shell.run("sync", id, "--dry-run");
    await shell.run("info", id);
    expect(await refusals()).toBe(before);
  });

  it("downloads a sample without a licence, under its own name", async () => {
    const { files, buildId } = await shell.publish("tor_ip_v1", { sampleRows: 3 });
    await mkdir(shell.path("samples"));
    const argv = ["download", "tor_ip_v1", "--to", shell.path("samples")];
    expect((await shell.run(...argv)).exitCode).toBe(4);
    const path = shell.path("samples", "tor_ip_v1.sample.mmdb");
    const expected = { id: "tor_ip_v1", format: "mmdb", sample: true, path, build_id: buildId };
    expect(await shell.json(0, ...argv, "--sample")).toMatchObject({ ...expected, unchanged: false });
    expect(await readFile(path)).toEqual(files.sample_mmdb);
    expect(await shell.json(0, ...argv, "--sample")).toMatchObject({ ...expected, unchanged: true });
    await shell.run(...argv, "--sample", "--format", "csvgz", "--delivery", "stream", "--build", buildId);
    expect(await readFile(shell.path("samples", "tor_ip_v1.sample.csv.gz"))).toEqual(files.sample_csvgz);
    const history = await shell.json(0, "history", "--database", "tor_ip_v1", "--sample");
    expect(history.map(({ format, sample }: { format: string; sample: boolean }) => [format, sample])).toEqual([
      ["csvgz", true],
      ["mmdb", true],
    ]);
    expect((await shell.run("history", "--database", "tor_ip_v1", "--sample")).out).toMatch(/ mmdb +\S+ K?i?B +yes /);
    await shell.publish("tor_ip_v1", { mark: "without" });
    const { exitCode, err } = await shell.run(...argv, "--sample");
    expect([exitCode, err]).toEqual([1, expect.stringContaining("tor_ip_v1 has no sample")]);
  });

  it("skips a file that is already current, unless --force is given", async () => {
    const { files, buildId } = await shell.publish("vpn_ip_v1", { mark: "current" });
    const argv = ["download", "vpn_ip_v1", "--to", shell.path("current.mmdb")];
    const attempts = async () => (await shell.json(0, "history", "--limit", "1000")).length;
    expect(await shell.json(0, ...argv)).toMatchObject({ unchanged: false });
    const before = await attempts();
    expect(await shell.json(0, ...argv)).toMatchObject({ unchanged: true, build_id: buildId, resumed_from_bytes: 0 });
    expect((await shell.run(...argv)).out).toMatch(/^The file is already current\.$/m);
    expect(await attempts()).toBe(before);
    expect(await shell.json(0, ...argv, "--force")).toMatchObject({ unchanged: false });
    expect(await attempts()).toBe(before + 1);
    await writeFile(shell.path("current.mmdb"), "damaged");
    expect(await shell.json(0, ...argv)).toMatchObject({ unchanged: false });
    expect(await readFile(shell.path("current.mmdb"))).toEqual(files.mmdb);
  });

  it("downloads an older build by its id", async () => {
    const old = await shell.publish("vpn_ip_v1", { mark: "old" });
    await shell.publish("vpn_ip_v1", { mark: "new" });
    await shell.json(0, "download", "vpn_ip_v1", "--build", old.buildId, "--to", shell.path("old.mmdb"));
    expect(await readFile(shell.path("old.mmdb"))).toEqual(old.files.mmdb);
  });

  it("downloads through the service with --delivery stream", async () => {
    const { exitCode } = await shell.run("download", "vpn_ip_v1", "--delivery", "stream", "--to", shell.path("s.mmdb"));
    expect(exitCode).toBe(0);
  });

  it("writes only the file to standard output with --to -", async () => {
    const child = shell.spawn(["download", "vpn_ip_v1", "--format", "csvgz", "--to", "-"]);
    const pieces: Buffer[] = [];
    child.stdout.on("data", (piece: Buffer) => pieces.push(piece));
    const { exitCode, err } = await shell.ended(child);
    expect(exitCode).toBe(0);
    expect(gunzipSync(Buffer.concat(pieces)).toString()).toMatch(/^network,provider\n/);
    expect(err).toMatch(/^file +standard output$/m);
    expect((await shell.run("download", "vpn_ip_v1", "--to", "-", "--json")).exitCode).toBe(2);
  });

  it("prints no stack trace if the reader of a pipe stops", async () => {
    const child = shell.spawn(["download", "vpn_ip_v1", "--to", "-"]);
    child.stdout.destroy();
    let err = "";
    child.stderr.on("data", (piece) => {
      err += piece;
    });
    const exitCode = await new Promise((resolve) => child.on("close", resolve));
    expect(exitCode).toBe(1);
    expect(err).not.toContain("    at ");
  });

  it("leaves the old file alone if the download is refused", async () => {
    await writeFile(shell.path("tor"), "precious");
    expect((await shell.run("download", "tor_ip_v1", "--format", "mmdb", "--to", shell.path("tor"))).exitCode).toBe(4);
    expect((await shell.run("download", "tor_ip_v1", "--to", shell.path("tor"))).exitCode).toBe(4);
    expect(await readFile(shell.path("tor"), "utf8")).toBe("precious");
    expect((await shell.run("download", "vpn_ip_v1", "--to", shell.path("no", "where"))).exitCode).toBe(1);
  });
});

describe("verify and health", () => {
  let shell: Shell;
  beforeAll(async () => {
    shell = await Shell.open();
    await shell.publish("vpn_ip_v1", { mark: "one" });
    await shell.publish("bogon_ip_v1", { mark: "one" });
    shell.environment.DBDEPOT_CLIENT_DATABASES = "vpn_ip_v1,bogon_ip_v1";
    shell.environment.DBDEPOT_CLIENT_FORMATS = "mmdb,csvgz";
  });
  afterAll(() => shell.dispose());

  it("fail before the first sync", async () => {
    expect((await shell.run("verify")).exitCode).toBe(1);
    const { exitCode, out } = await shell.run("health");
    expect(exitCode).toBe(1);
    expect(out).toMatch(/^FAIL {2}vpn_ip_v1\.mmdb: never downloaded$/m);
    expect((await shell.runWith({ DBDEPOT_CLIENT_DATABASES: "" }, "health")).out).toContain(
      "Nothing has been downloaded yet",
    );
  });

  it("succeed after a sync", async () => {
    expect((await shell.run("sync")).exitCode).toBe(0);
    const verified = await shell.json(0, "verify");
    expect(verified.files).toHaveLength(4);
    expect(verified).toMatchObject({ ok: true });
    expect(await shell.json(0, "health")).toMatchObject({ ok: true, max_age_seconds: 172_800, failures: {} });
    expect((await shell.run("verify", "vpn_ip_v1", "--formats", "mmdb")).out).toMatch(
      /^ok {4}vpn_ip_v1\.mmdb: can be opened, and matches build \S+\n$/,
    );
  });

  it("verify compares a file with its own build, even if there is a newer one or the build is gone", async () => {
    await shell.publish("vpn_ip_v1", { mark: "two" });
    expect((await shell.run("verify", "vpn_ip_v1")).exitCode).toBe(0);
    await withdrawBuild(shell.test.operator.operation(), (await shell.status()).files[FILE].build_id);
    await shell.test.operator.settle();
    expect((await shell.run("verify", "vpn_ip_v1", "--formats", "mmdb")).out).toContain(
      "which the service no longer keeps",
    );
  });

  it("verify reports wrong and missing files", async () => {
    const good = await readFile(shell.database(FILE));
    await writeFile(shell.database(FILE), Buffer.concat([good.subarray(0, -1), Buffer.from([0])]));
    const { exitCode, out } = await shell.run("verify");
    expect(exitCode).toBe(1);
    expect(out).toMatch(
      /^FAIL {2}vpn_ip_v1\.mmdb: does not match build .*its sha256 is [0-9a-f]{64}, not [0-9a-f]{64}$/m,
    );
    expect(out).toMatch(/^ok {4}bogon_ip_v1\.csv\.gz/m);
    await rm(shell.database(FILE));
    expect((await shell.run("verify")).out).toMatch(/^FAIL {2}vpn_ip_v1\.mmdb: missing/m);
  });

  it("health reports missing, replaced and outdated files, and the last failure", async () => {
    expect((await shell.run("health")).out).toMatch(/^FAIL {2}vpn_ip_v1\.mmdb: missing$/m);
    await writeFile(shell.database(FILE), "other");
    expect((await shell.run("health")).out).toMatch(/^FAIL {2}vpn_ip_v1\.mmdb: not the file that was downloaded$/m);
    expect((await shell.run("sync")).exitCode).toBe(0);
    expect((await shell.run("health")).exitCode).toBe(0);
    const status = await shell.status();
    status.files[FILE].checked = new Date(Date.now() - 3 * 86_400_000).toISOString();
    status.failures[FILE] = { since: "2026-11-01T00:00:00Z", kind: "network", message: "no route" };
    await writeFile(shell.database(".dbdepot-status.json"), JSON.stringify(status));
    const { exitCode, out } = await shell.run("health");
    expect(exitCode).toBe(1);
    expect(out).toMatch(/^FAIL {2}vpn_ip_v1\.mmdb: last successful check 72 h 0 min ago; no route$/m);
    expect((await shell.run("health", "--max-age", "4d")).exitCode).toBe(0);
  });

  it("health fails if a database that was given to sync has never been downloaded", async () => {
    const alone = { DBDEPOT_CLIENT_DATABASES: "", DBDEPOT_CLIENT_FORMATS: "", DBDEPOT_CLIENT_MAX_AGE: "4d" };
    expect((await shell.run("sync")).exitCode).toBe(0);
    expect((await shell.runWith(alone, "health")).exitCode).toBe(0);
    expect((await shell.runWith(alone, "sync", "vpn_ip_v1", "tor_ip_v1")).exitCode).toBe(4);
    const { exitCode, out } = await shell.runWith(alone, "health");
    expect(exitCode).toBe(1);
    expect(out).toMatch(/^FAIL {2}tor_ip_v1: never downloaded; your organization has no licence/m);
    expect((await shell.runWith(alone, "health", "vpn_ip_v1")).exitCode).toBe(0);
    expect((await shell.runWith(alone, "health", "tor_ip_v1")).exitCode).toBe(1);
  });

  it("health needs no key, and ignores an unreadable key file", async () => {
    const alone = { DBDEPOT_CLIENT_KEY: "", DBDEPOT_CLIENT_MAX_AGE: "4d" };
    expect((await shell.runWith(alone, "health")).exitCode).toBe(0);
    const unreadable = { ...alone, DBDEPOT_CLIENT_KEY_FILE: shell.path("no-such.key") };
    expect(await shell.runWith(unreadable, "health")).toMatchObject({ exitCode: 0, err: "" });
  });
});
