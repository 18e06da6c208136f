import { execFileSync, spawnSync } from "node:child_process";
import { createWriteStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { skipUnless } from "../../../../rigs/harness/needs.ts";
import { type Customer, call, expectRefusal } from "../../../../rigs/harness/service/customer.ts";
import { type Stage, stages } from "../../../../rigs/harness/service/stages.ts";
import { type TestService, testService } from "../../../../rigs/harness/service/test-service.ts";
import { runCommand } from "../commands/terminal.ts";

const [stage] = stages() as [Stage];
/** Readiness is checked every five seconds. */
const SOON = { timeout: 60_000, interval: 500 };
const disk = await smallDisk();

/** A disk of its own, or undefined if this machine does not allow mounting one. */
async function smallDisk(): Promise<string | undefined> {
  const directory = await mkdtemp(join(tmpdir(), "dbdepot-small-disk-"));
  const { status, error } = spawnSync("mount", ["-t", "tmpfs", "-o", "size=16m", "tmpfs", directory]);
  if (status === 0 && !error) return directory;
  await rm(directory, { recursive: true });
  return undefined;
}

describe("a server on SQLite whose disk becomes full", skipUnless(disk !== undefined, "the right to mount"), () => {
  const dataDir = disk ?? "";
  const filler = join(dataDir, "filler");
  let test: TestService;
  let acme: Customer;
  let environment: Record<string, string>;

  beforeAll(async () => {
    environment = {
      DBDEPOT_DATA_DIR: dataDir,
      DBDEPOT_DATABASE_URL: `sqlite:${join(dataDir, "dbdepot.sqlite")}`,
      DBDEPOT_OBJECTS_URL: `file:${join(dataDir, "objects")}`,
    };
    test = await testService(stage, environment);
    acme = await test.operator.customer("Acme");
    await test.operator.addDatabase("vpn_ip_v1");
    await test.operator.grant("Acme", "vpn_ip");
    await test.operator.publish("vpn_ip_v1");
  });
  afterAll(async () => {
    await test.dispose();
    execFileSync("umount", [dataDir]);
    await rm(dataDir, { recursive: true });
  });

  const status = async () => (await acme.download("vpn_ip_v1", "mmdb")).status;
  const readiness = async () => {
    const { status, json } = await call(`${acme.apiUrl}/readyz`);
    return [status, json.status, json.history];
  };
  const metric = async (name: string) => {
    const metrics = await test.service.services.metrics.registry.metrics();
    return Number(new RegExp(`^${name}(?:\\{.*\\})? (\\d+)$`, "m").exec(metrics)?.[1]);
  };
  const doctor = async () => {
    const { exitCode, out } = await runCommand(["doctor", "--json"], { ...environment, DBDEPOT_PORT: "0" });
    const { findings } = JSON.parse(out) as { findings: { check: string; verdict: string; detail: string }[] };
    return { exitCode, findings: Object.fromEntries(findings.map(({ check, ...found }) => [check, found])) };
  };

  it("is not ready, says why everywhere, and recovers by itself once space is free", async () => {
    expect(await status()).toBe(302);
    expect(await readiness()).toEqual([200, "ready", { state: "ok" }]);
    expect((await doctor()).findings).toMatchObject({
      "data directory": { verdict: "ok" },
      database: { verdict: "ok" },
    });
    const free = await metric("dbdepot_disk_free_bytes");
    expect(free).toBeGreaterThan(0);
    expect(free).toBeLessThanOrEqual(await metric("dbdepot_disk_size_bytes"));

    await expect(pipeline(Readable.from(endless()), createWriteStream(filler))).rejects.toThrow("ENOSPC");
    // The log of SQLite may have room for some more attempts.
    await expect.poll(status, SOON).toBe(503);
    expectRefusal(await acme.download("vpn_ip_v1", "mmdb"), 503, "NOT_AVAILABLE");
    await expect.poll(readiness, SOON).toEqual([503, "not_ready", { state: "unwritable" }]);
    expect(await metric("dbdepot_history_writable")).toBe(0);
    expect(await metric("dbdepot_disk_free_bytes")).toBe(0);
    const { exitCode, findings } = await doctor();
    expect(exitCode).toBe(1);
    expect(findings).toMatchObject({ "data directory": { verdict: "failed" }, database: { verdict: "failed" } });
    expect(findings["data directory"]?.detail).toMatch(/^no file can be stored in .* \(ENOSPC: .*\): free some space$/);
    expect(findings.database?.detail).toMatch(/^download attempts cannot be stored \(.*full\): free some space$/);

    await rm(filler);
    await expect.poll(readiness, SOON).toEqual([200, "ready", { state: "ok" }]);
    await expect.poll(status, SOON).toBe(302);
    expect(await metric("dbdepot_history_writable")).toBe(1);
    expect((await doctor()).findings).toMatchObject({
      "data directory": { verdict: "ok" },
      database: { verdict: "ok" },
    });
    await expect.poll(async () => (await acme.history()).map(({ outcome }) => outcome)).toContain("ok");
  });
});

function* endless() {
  for (;;) yield Buffer.alloc(4096);
}
