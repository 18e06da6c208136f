import { once } from "node:events";
import { type AddressInfo, createServer, type Server } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Lane } from "../../../src/http/express/lane.ts";
import type { Outlet } from "../../../src/http/outlet.ts";
import { plain, RawClient } from "./raw-client.ts";

const IDLE_MS = 150;

describe("a lane with a short time to be idle", () => {
  let server: Server;
  let closed = 0;
  const later: Outlet[] = [];

  beforeAll(async () => {
    server = createServer({ allowHalfOpen: true }, (socket) => {
      new Lane(socket, {
        find: () => (outlet) => later.push(outlet),
        handOver: () => expect.unreachable(),
        headMaxBytes: 1000,
        idleMs: IDLE_MS,
        connection: { kept: "Connection: keep-alive", last: "Connection: close" },
        isStopping: () => false,
        onClose: () => {
          closed += 1;
        },
      });
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
  });
  afterAll(() => server.close());

  const open = () => RawClient.open(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const answer = () => later.shift()?.send(200, ["content-length", "2"], Buffer.from("ok"));

  it("is closed when nothing comes", async () => {
    const client = await open();
    expect(await client.rest()).toBe("");
    await expect.poll(() => closed).toBe(1);
  });

  it("is not closed while it is being answered, however long that takes, but after it", async () => {
    const client = await open();
    client.send(plain("/"));
    await sleep(3 * IDLE_MS);
    answer();
    expect((await client.answer()).body.toString()).toBe("ok");
    expect(await client.rest()).toBe("");
    await expect.poll(() => closed).toBe(2);
  });
});
