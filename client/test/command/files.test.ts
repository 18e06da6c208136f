import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { withdrawBuild } from "../../../server/src/builds/rollback.ts";
import { Desk } from "./desk.ts";

const FILE = "vpn_ip_v1.mmdb";

describe("download", () => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await Desk.open();
  });
  afterAll(() => desk.dispose());

  it("puts a file where it is told to: a path, or a folder", async () => {
    const { files, buildId } = await desk.publish("vpn_ip_v1", { mark: "one" });
    await mkdir(desk.path("in"));
    for (const [to, path] of [
      [desk.path("a.mmdb"), desk.path("a.mmdb")],
      [desk.path("in"), desk.path("in", FILE)],
      [`${desk.path("in")}/`, desk.path("in", FILE)],
    ] as const) {
      const document = await desk.json(0, "download", "vpn_ip_v1", "--to", to);
      expect(document).toMatchObject({ id: "vpn_ip_v1", format: "mmdb", path, build_id: buildId });
      expect(await readFile(path)).toEqual(files.mmdb);
    }
  });

  it("tells what it got, and takes the format that is asked for or that there is", async () => {
    const { out } = await desk.run("download", "vpn_ip_v1", "--format", "csvgz", "--to", desk.path("a.csv.gz"));
    expect(out).toMatch(/^file +\S+a\.csv\.gz\nsize +\d+ bytes \(.* KiB\)\nsha256 +[0-9a-f]{64}\nbuild +\S+\n$/);
    await desk.test.operator.addDatabase("x_provider_v1", { formats: ["csvgz"] });
    await desk.test.operator.grant("Acme", "x_provider");
    await desk.publish("x_provider_v1", { formats: ["csvgz"] });
    expect(await desk.json(0, "download", "x_provider_v1", "--to", desk.path("x"))).toMatchObject({ format: "csvgz" });
  });

  it("gets an older build by its id", async () => {
    const old = await desk.publish("vpn_ip_v1", { mark: "old" });
    await desk.publish("vpn_ip_v1", { mark: "new" });
    await desk.json(0, "download", "vpn_ip_v1", "--build", old.buildId, "--to", desk.path("old.mmdb"));
    expect(await readFile(desk.path("old.mmdb"))).toEqual(old.files.mmdb);
  });

  it("gets it from the service itself where the storage cannot be reached", async () => {
    const { exitCode } = await desk.run("download", "vpn_ip_v1", "--delivery", "stream", "--to", desk.path("s.mmdb"));
    expect(exitCode).toBe(0);
  });

  it("writes to standard output nothing but the file, and what it got to standard error", async () => {
    const child = desk.spawn(["download", "vpn_ip_v1", "--format", "csvgz", "--to", "-"]);
    const pieces: Buffer[] = [];
    child.stdout.on("data", (piece: Buffer) => pieces.push(piece));
    const { exitCode, err } = await desk.ended(child);
    expect(exitCode).toBe(0);
    expect(gunzipSync(Buffer.concat(pieces)).toString()).toMatch(/^network,provider\n/);
    expect(err).toMatch(/^file +standard output$/m);
    expect((await desk.run("download", "vpn_ip_v1", "--to", "-", "--json")).exitCode).toBe(2);
  });

  it("ends in silence when nobody reads on", async () => {
    const child = desk.spawn(["download", "vpn_ip_v1", "--to", "-"]);
    child.stdout.destroy();
    let err = "";
    child.stderr.on("data", (piece) => {
      err += piece;
    });
    const exitCode = await new Promise((resolve) => child.on("close", resolve));
    expect(exitCode).toBe(1);
    expect(err).not.toContain("    at ");
  });

  it("leaves the old file when it is refused, and tells by the exit code", async () => {
    await writeFile(desk.path("tor"), "precious");
    expect((await desk.run("download", "tor_ip_v1", "--format", "mmdb", "--to", desk.path("tor"))).exitCode).toBe(4);
    expect((await desk.run("download", "tor_ip_v1", "--to", desk.path("tor"))).exitCode).toBe(4);
    expect(await readFile(desk.path("tor"), "utf8")).toBe("precious");
    expect((await desk.run("download", "vpn_ip_v1", "--to", desk.path("no", "where"))).exitCode).toBe(1);
  });
});

describe("verify and health", () => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await Desk.open();
    await desk.publish("vpn_ip_v1", { mark: "one" });
    await desk.publish("bogon_ip_v1", { mark: "one" });
    desk.environment.DBDEPOT_DATABASES = "vpn_ip_v1,bogon_ip_v1";
    desk.environment.DBDEPOT_FORMATS = "mmdb,csvgz";
  });
  afterAll(() => desk.dispose());

  it("before anything was fetched: nothing is well", async () => {
    expect((await desk.run("verify")).exitCode).toBe(1);
    const { exitCode, out } = await desk.run("health");
    expect(exitCode).toBe(1);
    expect(out).toMatch(/^FAIL {2}vpn_ip_v1\.mmdb: was never fetched$/m);
    expect((await desk.runWith({ DBDEPOT_DATABASES: "" }, "health")).out).toContain("nothing was downloaded yet");
  });

  it("after a sync: everything is", async () => {
    expect((await desk.run("sync")).exitCode).toBe(0);
    const verified = await desk.json(0, "verify");
    expect(verified.files).toHaveLength(4);
    expect(verified).toMatchObject({ ok: true });
    expect(await desk.json(0, "health")).toMatchObject({ ok: true, max_age_seconds: 172_800, failures: {} });
    expect((await desk.run("verify", "vpn_ip_v1", "--formats", "mmdb")).out).toMatch(
      /^ok {4}vpn_ip_v1\.mmdb: is build \S+, and opens\n$/,
    );
  });

  it("verify holds a file against its own build, also after a newer one came and when it is no longer kept", async () => {
    await desk.publish("vpn_ip_v1", { mark: "two" });
    expect((await desk.run("verify", "vpn_ip_v1")).exitCode).toBe(0);
    await withdrawBuild(desk.test.operator.operation(), (await desk.status()).files[FILE].build_id);
    await desk.test.operator.settle();
    expect((await desk.run("verify", "vpn_ip_v1", "--formats", "mmdb")).out).toContain("no longer kept at the service");
  });

  it("verify finds bytes that are not the build's, and files that do not open", async () => {
    const good = await readFile(desk.database(FILE));
    await writeFile(desk.database(FILE), Buffer.concat([good.subarray(0, -1), Buffer.from([0])]));
    const { exitCode, out } = await desk.run("verify");
    expect(exitCode).toBe(1);
    expect(out).toMatch(/^FAIL {2}vpn_ip_v1\.mmdb: is not build .*its sha256 is [0-9a-f]{64}, not [0-9a-f]{64}$/m);
    expect(out).toMatch(/^ok {4}bogon_ip_v1\.csv\.gz/m);
    await rm(desk.database(FILE));
    expect((await desk.run("verify")).out).toMatch(/^FAIL {2}vpn_ip_v1\.mmdb: is not there/m);
  });

  it("health finds what is gone, what is another file, and what is too old, and says why", async () => {
    expect((await desk.run("health")).out).toMatch(/^FAIL {2}vpn_ip_v1\.mmdb: is not there any more$/m);
    await writeFile(desk.database(FILE), "other");
    expect((await desk.run("health")).out).toMatch(/^FAIL {2}vpn_ip_v1\.mmdb: is not the file that was fetched$/m);
    expect((await desk.run("sync")).exitCode).toBe(0);
    expect((await desk.run("health")).exitCode).toBe(0);
    const status = await desk.status();
    status.files[FILE].checked = new Date(Date.now() - 3 * 86_400_000).toISOString();
    status.failures[FILE] = { since: "2026-11-01T00:00:00Z", kind: "network", message: "no route" };
    await writeFile(desk.database(".dbdepot-status.json"), JSON.stringify(status));
    const { exitCode, out } = await desk.run("health");
    expect(exitCode).toBe(1);
    expect(out).toMatch(/^FAIL {2}vpn_ip_v1\.mmdb: the last good check was 72 h 0 min ago; no route$/m);
    expect((await desk.run("health", "--max-age", "4d")).exitCode).toBe(0);
  });

  it("health asks nobody and needs no key", async () => {
    const alone = { DBDEPOT_API_KEY: "", DBDEPOT_MAX_AGE: "4d" };
    expect((await desk.runWith(alone, "health")).exitCode).toBe(0);
  });
});
