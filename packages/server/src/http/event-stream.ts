import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { PassThrough } from "node:stream";
import type { Event } from "../domain/events/event.ts";
import { eventToWire } from "../domain/events/wire.ts";

/** Tells clients when to reconnect. Random, so that they don't all do it at once after a restart. */
const RETRY_MS = { minimum: 1000, maximum: 5000 };
/** Far more than the backlog of a client that reads. */
const PENDING_MAX_BYTES = 256 * 1024;
/** How long a client may take to read a page of missed events. */
const DRAIN_TIMEOUT_MS = 30_000;

export type StreamEnd = "client" | "refused" | "slow" | "shutdown" | "outage";

/** One response of server-sent events. Closes if the client does not read what it is sent. */
export class EventStream {
  readonly body = new PassThrough();
  readonly #response: Pick<ServerResponse, "writableLength">;
  #lastWriteMs = 0;
  #wasPending = false;
  end: StreamEnd = "client";

  constructor(response: Pick<ServerResponse, "writableLength">) {
    this.#response = response;
    const { minimum, maximum } = RETRY_MS;
    this.#write(`retry: ${Math.round(minimum + Math.random() * (maximum - minimum))}\n\n`);
  }

  get isOpen(): boolean {
    return !this.body.destroyed && !this.body.writableEnded;
  }

  /** The client may have missed events. Its last event id is cleared, because it cannot resume there. */
  sendReset(): void {
    this.#write("id\nevent: reset\ndata: {}\n\n");
  }

  send(event: Event): void {
    this.#write(`id: ${event.id}\nevent: ${event.type}\ndata: ${JSON.stringify(eventToWire(event))}\n\n`);
  }

  /** Keeps proxies from closing an idle connection. */
  sendHeartbeat(afterMs: number): void {
    if (performance.now() - this.#lastWriteMs < afterMs) return;
    const isPending = this.#pendingBytes() > 0;
    // The client has read nothing since the last heartbeat.
    if (isPending && this.#wasPending) this.cut();
    this.#wasPending = isPending;
    this.#write(": heartbeat\n\n");
  }

  /** Waits until the client has read its backlog, if it is large. */
  async drained(): Promise<void> {
    if (!this.isOpen || !this.body.writableNeedDrain) return;
    await once(this.body, "drain", { signal: AbortSignal.timeout(DRAIN_TIMEOUT_MS) }).catch(() => this.cut());
  }

  /** Ends the response properly, so that the client reconnects. */
  close(end: StreamEnd): void {
    if (!this.isOpen) return;
    this.end = end;
    this.body.end();
  }

  /** Disconnects a client that does not read. */
  cut(): void {
    this.end = "slow";
    this.body.destroy();
  }

  #write(text: string): void {
    if (this.#pendingBytes() > PENDING_MAX_BYTES) this.cut();
    if (!this.isOpen) return;
    this.#lastWriteMs = performance.now();
    this.body.write(text);
  }

  #pendingBytes(): number {
    return this.body.writableLength + this.body.readableLength + this.#response.writableLength;
  }
}
