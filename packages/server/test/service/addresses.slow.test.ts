import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { pino } from "pino";
import { expect, it } from "vitest";
import { type Stage, stages } from "../../../../rigs/harness/service/stages.ts";
import { startService } from "../../src/service/service.ts";
import { RawClient, requestText } from "../http/raw-client.ts";

const REQUESTS = 4000;
const HEADER_BYTES = 8 * 1024;
/** An eighth of the total size of all headers. */
const GROWTH_MAX_BYTES = (REQUESTS * HEADER_BYTES) / 8;

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

it("keeps only a few bytes per IP address if thousands of addresses send unknown keys", async () => {
  const [stage] = stages() as [Stage];
  const settings = { DBDEPOT_TRUSTED_PROXIES: "127.0.0.0/8", DBDEPOT_RATE_LIMIT: "50:500" };
  const opened = await stage.open(settings);
  const service = await startService(opened.settings, { log: pino({ level: "silent" }) });
  const client = await RawClient.open(service.apiUrl);
  try {
    const send = async (from: number, to: number) => {
      for (let i = from; i < to; i += 1) {
        const address = `198.${100 + (i % 100)}.${100 + Math.floor(i / 100)}.100`;
        const headers = `X-Api-Key: unknown\r\nX-Forwarded-For: ${"1".repeat(HEADER_BYTES)}, ${address}\r\n`;
        const { status } = await client.send(requestText("/api/v2/database/list", { headers })).response();
        expect(status).toBe(401);
      }
      collectGarbage();
      return process.memoryUsage().heapUsed;
    };
    const before = await send(0, 500);
    expect((await send(500, 500 + REQUESTS)) - before).toBeLessThan(GROWTH_MAX_BYTES);
  } finally {
    client.socket.destroy();
    await service.close();
    await opened.dispose();
  }
});
