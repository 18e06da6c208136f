import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { freePort } from "../../../../rigs/harness/free-port.ts";
import { needs } from "../../../../rigs/harness/needs.ts";
import { childrenOf, kill } from "../../../../rigs/harness/processes.ts";
import { programEnvironment } from "../../../../rigs/harness/program-environment.ts";
import { call } from "../../../../rigs/harness/service/customer.ts";
import { eitherStage } from "../../../../rigs/harness/service/stages.ts";
import { TestClock } from "../../../../rigs/harness/service/test-clock.ts";
import { Operator } from "../../../../rigs/harness/service/test-service.ts";
import { startMetricsServer } from "../../src/adapters/monitoring/metrics-server.ts";
import { startService } from "../../src/service/service.ts";
import { migrateToFuture } from "../adapters/sql/newer-schema.ts";
import { runCommand } from "../commands/terminal.ts";

const PROGRAM = fileURLToPath(new URL("../../bin/dbdepot-server.js", import.meta.url));

for (const stage of eitherStage()) {
  describe(`Starting the service on ${stage.name}`, () => {
    it("migrates the schema, or fails with the missing migrations if DBDEPOT_MIGRATE is never", async () => {
      const unmigrated = await stage.openEmpty({ DBDEPOT_MIGRATE: "never", DBDEPOT_LOG_LEVEL: "silent" });
      await expect(startService(unmigrated.settings)).rejects.toThrow(/0001-foundation.*DBDEPOT_MIGRATE.*migrate/);
      const service = await startService({ ...unmigrated.settings, migrateOnStart: true });
      await service.close();
      const again = await startService(unmigrated.settings);
      expect((await call(`${again.apiUrl}/api/v2/database/list`)).status).toBe(401);
      await again.close();
      await unmigrated.dispose();
    });

    it("runs on the schema of a newer version, but does not copy or erase what it doesn't know", async () => {
      const opened = await stage.open({ DBDEPOT_METRICS_PORT: "off", DBDEPOT_LOG_LEVEL: "silent" });
      onTestFinished(() => opened.dispose());
      const original = await startService(opened.settings);
      const before = new Operator(original, new TestClock());
      await before.addDatabase("vpn_ip_v1");
      await before.publish("vpn_ip_v1", "old");
      const customer = await before.customer("Acme");
      await before.grant("Acme", "vpn_ip");
      await original.close();

      await migrateToFuture(opened.query);
      const lines: string[] = [];
      const log = pino({ level: "warn" }, { write: (line) => lines.push(line) });
      const service = await startService(opened.settings, { log });
      expect(JSON.parse(lines.join(""))).toMatchObject({
        migrations: ["9999-from-the-future"],
        msg: expect.stringContaining("a newer version has migrated the database"),
      });
      const operator = new Operator(service, new TestClock());
      const build = await operator.publish("vpn_ip_v1", "new");
      const colleague = await operator.colleague(customer);
      expect((await colleague.download("vpn_ip_v1", "mmdb", "&delivery=stream")).text).toBe("mmdb new");
      await expect.poll(() => colleague.history()).toHaveLength(1);
      expect((await opened.query("select current_build_id as id from versions"))[0]?.id).toBe(build.id);
      await service.close();

      const dbdepotServer = (...argv: string[]) => runCommand(argv, opened.environment);
      const created = await dbdepotServer("orgs", "add", "Globex");
      expect(created).toMatchObject({ exitCode: 0, err: "" });
      await dbdepotServer("accounts", "invite", "ada@acme.example", "--role", "admin", "--org", "Acme");
      const nothing = await dbdepotServer("migrate");
      expect(nothing.out).toMatch(/^There is nothing to do: a newer version has applied 9999-from-the-future,/);
      expect((await dbdepotServer("doctor")).out).toMatch(/^ok {2,}database: .*9999-from-the-future.*can still run/m);
      const rows = await opened.dump();
      for (const argv of [
        ["backup", join(opened.settings.dataDir, "backup")],
        ["privacy", "erase", "ada@acme.example", "--yes", "--even-last"],
      ]) {
        const err = expect.stringContaining("run that version or a later one");
        expect(await dbdepotServer(...argv)).toMatchObject({ exitCode: 1, err });
      }
      expect(await opened.dump()).toEqual(rows);

      await opened.query("update compatibility set compatible_with = '9999-from-the-future'");
      const refusal = /created by a newer version of dbdepot \(it has 9999-from-the-future\)/;
      await expect(startService(opened.settings)).rejects.toThrow(refusal);
      for (const argv of [["orgs", "list"], ["migrate"]]) {
        expect(await dbdepotServer(...argv)).toMatchObject({ exitCode: 1, err: expect.stringMatching(refusal) });
      }
      expect((await dbdepotServer("doctor")).out).toMatch(/^FAIL {2}database: this database was created by a newer/m);
    });

    it("fails and closes everything if a port is in use", async () => {
      const otherServer = createServer().listen(0, "127.0.0.1");
      await once(otherServer, "listening");
      const { port } = otherServer.address() as { port: number };
      const opened = await stage.open({ DBDEPOT_PORT: String(port), DBDEPOT_LOG_LEVEL: "silent" });
      await expect(startService(opened.settings)).rejects.toThrow(
        `cannot listen on 127.0.0.1:${port}: the port is in use (EADDRINUSE); stop the other process, or set DBDEPOT_PORT to another port`,
      );
      otherServer.close();
      const service = await startService(opened.settings);
      await service.close();
      await opened.dispose();
    });
  });
}

it("names the setting if the port for metrics is taken", async () => {
  await using blocker = createServer().listen(0, "127.0.0.1");
  await once(blocker, "listening");
  const { port } = blocker.address() as { port: number };
  await expect(startMetricsServer({ host: "127.0.0.1", port }, async () => "")).rejects.toThrow(
    `cannot serve metrics on 127.0.0.1:${port} (EADDRINUSE): set DBDEPOT_METRICS_PORT to another port, or to off`,
  );
});

describe("Workers (DBDEPOT_WORKERS)", () => {
  it.each(["DBDEPOT_PORT", "DBDEPOT_OBJECTS_PORT"])("do not start if %s is taken", async (setting) => {
    await using blocker = createServer().listen(0, "127.0.0.1");
    await once(blocker, "listening");
    const { port } = blocker.address() as { port: number };
    const ports = { DBDEPOT_PORT: String(await freePort()), DBDEPOT_OBJECTS_PORT: String(await freePort()) };
    const environment = { DBDEPOT_DATA_DIR: folder, DBDEPOT_WORKERS: "2", ...ports, [setting]: String(port) };
    const { exitCode, err } = await runCommand(["serve"], environment);
    expect({ exitCode, err }).toMatchObject({ exitCode: 1, err: expect.stringContaining(`set ${setting}`) });
  });

  let folder: string;
  /** What the metrics port returned while two workers were running. */
  let merged: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "dbdepot-workers-"));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it("share a port and a metrics port, are replaced if they die, and stop on SIGTERM", needs("Linux"), async () => {
    const [port, objectsPort, metricsPort] = [await freePort(), await freePort(), await freePort()];
    const environment = {
      ...programEnvironment(),
      DBDEPOT_DATA_DIR: folder,
      DBDEPOT_PORT: String(port),
      DBDEPOT_OBJECTS_PORT: String(objectsPort),
      DBDEPOT_METRICS_PORT: String(metricsPort),
      DBDEPOT_WORKERS: "2",
      DBDEPOT_LOG_LEVEL: "error",
    };
    const program = spawn(process.execPath, [PROGRAM, "serve"], {
      env: environment,
      stdio: "pipe",
    });
    let notes = "";
    program.stderr.on("data", (chunk) => {
      notes += chunk;
    });
    let log = "";
    program.stdout.on("data", (chunk) => {
      log += chunk;
    });
    const status = () =>
      call(`http://127.0.0.1:${port}/api/v2/database/list`).then(
        (reply) => reply.status,
        () => 0,
      );
    await expect.poll(status).toBe(401);
    expect(notes).toContain("dbdepot-server accounts invite you@example.com --role operator");
    const metrics = async () => (await call(`http://127.0.0.1:${metricsPort}/metrics`)).text;
    await expect.poll(metrics).toMatch(/^dbdepot_http_requests_total.*status="401"} [1-9]/m);
    expect(await metrics()).toMatch(/^dbdepot_database_up 1$/m);
    expect(await metrics()).toMatch(/^nodejs_eventloop_lag_p99_seconds /m);
    merged = await metrics();
    const [worker] = await childrenOf(program.pid);
    kill(worker, "SIGKILL");
    await expect.poll(() => log).toContain("starting another");
    await expect.poll(async () => (await childrenOf(program.pid)).length).toBe(2);
    expect(await status()).toBe(401);
    const ended = once(program, "exit");
    program.kill("SIGTERM");
    expect((await ended)[0]).toBe(0);
    expect(await status()).toBe(0);
  });

  it("merge their metrics into what promtool accepts", needs("promtool"), () => {
    const { status, stdout, stderr } = spawnSync("promtool", ["check", "metrics"], { input: merged, encoding: "utf8" });
    expect([status, stdout, stderr]).toEqual([0, "", ""]);
  });
});
