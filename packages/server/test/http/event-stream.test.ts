import Fastify from "fastify";
import { describe, expect, it, onTestFinished } from "vitest";
import { EventStream } from "../../src/http/event-stream.ts";
import { event } from "../adapters/sql/samples.ts";

const sent = { ...event(), revision: 1 };
/** A response without a socket, so it is never read. */
const UNREAD = { writableLength: 0 };

describe("an event stream", () => {
  it("disconnects a client that does not read, instead of buffering without a limit", () => {
    const stream = new EventStream(UNREAD);
    let count = 0;
    for (; stream.isOpen && count < 100_000; count += 1) stream.send(sent);
    expect(stream.end).toBe("slow");
    expect(count).toBeLessThan(10_000);
    expect(stream.body.writableLength + stream.body.readableLength).toBeLessThan(300_000);
  });

  it("stays open for a client that reads", async () => {
    const stream = new EventStream(UNREAD);
    let bytes = 0;
    stream.body.on("data", (chunk) => {
      bytes += chunk.length;
    });
    for (let i = 0; i < 5000; i += 1) {
      stream.send(sent);
      await stream.drained();
    }
    expect(stream.isOpen).toBe(true);
    await expect.poll(() => bytes).toBeGreaterThan(500_000);
  });

  it("disconnects a client that has read nothing between two heartbeats", () => {
    const stream = new EventStream(UNREAD);
    stream.sendHeartbeat(0);
    expect(stream.isOpen).toBe(true);
    stream.sendHeartbeat(0);
    expect([stream.isOpen, stream.end]).toEqual([false, "slow"]);
  });

  it("sends no heartbeat shortly after an event", () => {
    const stream = new EventStream(UNREAD);
    stream.send(sent);
    stream.sendHeartbeat(60_000);
    expect(String(stream.body.read())).not.toContain("heartbeat");
  });

  it.each(["cut", "close"] as const)("ends the response: %s", async (how) => {
    const streams: EventStream[] = [];
    const app = Fastify();
    app.get("/", (_request, reply) => {
      const stream = new EventStream(reply.raw);
      streams.push(stream);
      return reply.send(stream.body);
    });
    onTestFinished(() => app.close());
    const response = await fetch(await app.listen());
    if (how === "cut") streams[0]?.cut();
    else streams[0]?.close("shutdown");
    const result = await response.text().catch(() => "failed");
    expect(result).toMatch(how === "cut" ? /^failed$/ : /^retry: \d+\n\n$/);
  });
});
