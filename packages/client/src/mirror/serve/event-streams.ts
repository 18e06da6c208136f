import { randomUUID } from "node:crypto";
import type { ServerResponse } from "node:http";
import type { ServedDatabase } from "./verified-mirror.ts";

/** Clients give up after 30 seconds of silence. */
const HEARTBEAT_MS = 10_000;
const STREAMS_MAX = 1000;
/** Far more than a client that reads has waiting. */
const PENDING_MAX_BYTES = 64 * 1024;
/** Random, so that clients don't all reconnect at once after a restart. */
const RETRY_MS = { minimum: 1000, maximum: 5000 };

/** The event streams of clients that follow the mirror. It keeps no events: each stream begins with `reset`. */
export class EventStreams {
  readonly #streams = new Set<ServerResponse>();
  readonly #heartbeat = setInterval(() => this.#write(": heartbeat\n\n"), HEARTBEAT_MS).unref();

  get count(): number {
    return this.#streams.size;
  }

  /** Returns false if there are too many. */
  open(response: ServerResponse): boolean {
    if (this.#streams.size >= STREAMS_MAX) return false;
    const { minimum, maximum } = RETRY_MS;
    const retryMs = Math.round(minimum + Math.random() * (maximum - minimum));
    response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
    response.write(`retry: ${retryMs}\n\nid\nevent: reset\ndata: {}\n\n`);
    this.#streams.add(response);
    response.once("close", () => this.#streams.delete(response));
    return true;
  }

  /** Reports that the mirror has another manifest of a database. */
  publish({ id, manifest, builds }: ServedDatabase, previousBuildId: string | null): void {
    const { build_id: buildId } = manifest;
    const isPublished = buildId !== null;
    const type = isPublished ? "build.published" : "build.withdrawn";
    const data = isPublished
      ? { id, build_id: buildId, previous_build_id: previousBuildId, updated: builds[0]?.updated }
      : { id, build_id: previousBuildId };
    const event = { id: randomUUID(), type, timestamp: new Date().toISOString(), data };
    this.#write(`id: ${event.id}\nevent: ${type}\ndata: ${JSON.stringify(event)}\n\n`);
  }

  close(): void {
    clearInterval(this.#heartbeat);
    for (const response of this.#streams) response.end();
  }

  #write(text: string): void {
    for (const response of this.#streams) {
      if (response.writableLength > PENDING_MAX_BYTES) response.destroy();
      else response.write(text);
    }
  }
}
