import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freePort } from "../../../bench/src/free-port.ts";
import { startService } from "../../src/service.ts";
import { call } from "../customer.ts";
import { stages } from "../stages.ts";

const PROGRAM = fileURLToPath(new URL("../../bin/dbdepot-server.js", import.meta.url));

for (const stage of stages()) {
  describe(`the start on ${stage.name}`, () => {
    it("brings the schema up to date, unless DBDEPOT_MIGRATE forbids it: then it says what is missing", async () => {
      const forbidden = await stage.openEmpty({ DBDEPOT_MIGRATE: "never", DBDEPOT_LOG_LEVEL: "silent" });
      await expect(startService(forbidden.settings)).rejects.toThrow(/0001-foundation.*DBDEPOT_MIGRATE.*migrate/);
      const service = await startService({ ...forbidden.settings, migrateOnStart: true });
      await service.close();
      const again = await startService(forbidden.settings);
      expect((await call(`${again.apiUrl}/api/v2/database/list`)).status).toBe(401);
      await again.close();
      await forbidden.dispose();
    });

    it("fails with everything closed when a port is taken", async () => {
      const blocker = createServer().listen(0, "127.0.0.1");
      await once(blocker, "listening");
      const { port } = blocker.address() as { port: number };
      const opened = await stage.open({ DBDEPOT_PORT: String(port), DBDEPOT_LOG_LEVEL: "silent" });
      await expect(startService(opened.settings)).rejects.toThrow("EADDRINUSE");
      blocker.close();
      const service = await startService(opened.settings);
      await service.close();
      await opened.dispose();
    });
  });
}

describe("several processes (DBDEPOT_WORKERS)", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "dbdepot-workers-"));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it("serve on the same port, replace one that dies, and all stop on SIGTERM", async () => {
    const [port, objectsPort] = [await freePort(), await freePort()];
    const environment = {
      ...process.env,
      DBDEPOT_DATA_DIR: folder,
      DBDEPOT_PORT: String(port),
      DBDEPOT_OBJECTS_PORT: String(objectsPort),
      DBDEPOT_WORKERS: "2",
      DBDEPOT_LOG_LEVEL: "silent",
    };
    const program = spawn(process.execPath, [PROGRAM, "serve"], {
      env: environment,
      stdio: ["ignore", "ignore", "pipe"],
    });
    let said = "";
    program.stderr.on("data", (chunk) => {
      said += chunk;
    });
    const status = () =>
      call(`http://127.0.0.1:${port}/api/v2/database/list`).then(
        (reply) => reply.status,
        () => 0,
      );
    await expect.poll(status).toBe(401);
    const [victim] = await childrenOf(program.pid ?? 0);
    process.kill(victim ?? 0, "SIGKILL");
    await expect.poll(() => said).toContain("another takes its place");
    await expect.poll(async () => (await childrenOf(program.pid ?? 0)).length).toBe(2);
    expect(await status()).toBe(401);
    const ended = once(program, "exit");
    program.kill("SIGTERM");
    expect((await ended)[0]).toBe(0);
    expect(await status()).toBe(0);
  });
});

async function childrenOf(pid: number): Promise<number[]> {
  const list = spawn("ps", ["-o", "pid=", "--ppid", String(pid)], { stdio: ["ignore", "pipe", "ignore"] });
  let text = "";
  for await (const chunk of list.stdout) text += chunk;
  return text
    .split("\n")
    .map(Number)
    .filter((found) => found > 0);
}
