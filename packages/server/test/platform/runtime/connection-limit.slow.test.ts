import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pino } from "pino";
import { describe, expect, it } from "vitest";
import { needs } from "../../../../../rigs/harness/needs.ts";
import { type OpenStage, type Stage, stages } from "../../../../../rigs/harness/service/stages.ts";
import { TestClock } from "../../../../../rigs/harness/service/test-clock.ts";
import { Operator } from "../../../../../rigs/harness/service/test-service.ts";
import { maxConnectionsFor } from "../../../src/platform/runtime/connection-limit.ts";
import { startService } from "../../../src/service/service.ts";
import { RawClient, requestText } from "../../http/raw-client.ts";

const COMMAND = join(import.meta.dirname, "../../../src/main.ts");
const OPEN_FILES = 128;

describe("Connection limit", () => {
  it.each([
    [1024, 1, 472],
    [1024, 2, 236],
    [1_048_576, 2, 262_124],
    [100, 2, 10],
    [20, 1, 10],
  ])("with %i open files and %i ports is %i connections", (openFiles, servers, expected) => {
    expect(maxConnectionsFor(openFiles, servers)).toBe(expected);
  });

  it(
    "keeps file descriptors free, so downloads still work when idle connections reach it",
    needs("Linux"),
    async () => {
      const [stage] = stages() as [Stage];
      const opened = await stage.open();
      const key = await setUp(opened);
      const server = await serve(opened);
      const idle: Socket[] = [];
      try {
        const headers = `Authorization: Bearer ${key}\r\n`;
        const path = "/api/v2/database/download?id=vpn_ip_v1&format=mmdb&delivery=stream";
        const client = await RawClient.open(server.apiUrl);
        const download = async () => (await client.send(requestText(path, { headers })).response()).status;
        expect(await download()).toBe(200);
        const { hostname, port } = new URL(server.apiUrl);
        for (let i = 0; i < OPEN_FILES * 2; i += 1) {
          const socket = connect(Number(port), hostname);
          socket.on("error", () => {});
          idle.push(socket);
        }
        await expect.poll(() => server.log()).toContain("connection refused: raise the limit on open files");
        expect(server.log()).toContain(`"open_files":${OPEN_FILES},"max_connections":12`);
        expect(await download()).toBe(200);
        for (const socket of idle) socket.destroy();
        await expect.poll(async () => (await fetch(`${server.apiUrl}/docs`).catch(() => undefined))?.status).toBe(200);
        client.socket.destroy();
      } finally {
        for (const socket of idle) socket.destroy();
        server.child.kill();
        await once(server.child, "close");
        await opened.dispose();
      }
    },
  );
});

/** Publishes a database and returns the key of a licensed customer. */
async function setUp({ settings }: OpenStage): Promise<string> {
  const service = await startService(settings, { log: pino({ level: "silent" }) });
  const operator = new Operator(service, new TestClock());
  const acme = await operator.customer("Acme");
  await operator.addDatabase("vpn_ip_v1", { formats: ["mmdb"] });
  await operator.grant("Acme", "vpn_ip");
  await operator.publish("vpn_ip_v1");
  await service.close();
  return acme.key;
}

/** Starts the server in its own process with few file descriptors. */
async function serve({ settings }: OpenStage): Promise<{ child: ChildProcess; apiUrl: string; log: () => string }> {
  const { database, dataDir } = settings;
  const script = `ulimit -n ${OPEN_FILES} && exec "$0" "$@"`;
  const child = spawn("sh", ["-c", script, process.execPath, COMMAND, "serve"], {
    env: {
      PATH: process.env.PATH,
      DBDEPOT_DATA_DIR: dataDir,
      DBDEPOT_DATABASE_URL: database.engine === "sqlite" ? `sqlite:${database.path}` : database.url,
      DBDEPOT_PORT: "0",
      DBDEPOT_OBJECTS_PORT: "0",
      DBDEPOT_METRICS_PORT: "off",
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines: string[] = [];
  const apiUrl = Promise.withResolvers<string>();
  createInterface(child.stdout).on("line", (line) => {
    lines.push(line);
    const url = /"api_url":"([^"]+)"/.exec(line)?.[1];
    if (url) apiUrl.resolve(url);
  });
  child.once("close", () => apiUrl.reject(new Error(`serve did not start: ${lines.join("\n")}`)));
  return { child, apiUrl: await apiUrl.promise, log: () => lines.join("\n") };
}
