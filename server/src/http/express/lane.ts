import type { Socket } from "node:net";
import type { Outlet } from "../outlet.ts";
import type { Head } from "../request.ts";
import { parseHead } from "./head.ts";
import { type Connection, ExpressOutlet } from "./outlet.ts";

export interface LaneOptions {
  /** How a request is answered, if it is one for the express lane. */
  find(head: Head, socket: Socket): ((outlet: Outlet) => void) | undefined;
  /** To Node's server, with what was read of a request that is not for the express lane. */
  handOver(lane: Lane, bytes: Buffer): void;
  headMaxBytes: number;
  idleMs: number;
  /** The headers about the connection. The last answer is the one before the server stops. */
  connection: { kept: string; last: string };
  isStopping(): boolean;
  onClose(lane: Lane): void;
}

/** One connection, for as long as only plain requests come on it: one after the other, each in one piece, as its answer. */
export class Lane implements Connection {
  readonly socket: Socket;
  readonly #options: LaneOptions;
  readonly #listeners: Record<string, (bytes: Buffer) => void>;
  #isAnswering = false;
  /** What came before the last answer was out. */
  #waiting: Buffer | undefined;
  /** The client will send nothing more. */
  isEnded = false;
  /** The client was told that the connection ends with the last answer. */
  #isOver = false;

  constructor(socket: Socket, options: LaneOptions) {
    this.socket = socket;
    this.#options = options;
    this.#listeners = {
      data: (bytes) => this.#receive(bytes),
      end: () => this.#end(),
      drain: () => this.#goOn(),
      timeout: () => this.#closeUnlessAnswering(),
      // It is closed then, and nobody is left to be told.
      error: () => {},
      close: () => options.onClose(this),
    };
    for (const [event, listener] of Object.entries(this.#listeners)) socket.on(event, listener);
    socket.setTimeout(options.idleMs);
  }

  connectionLines(): string {
    const { connection, isStopping } = this.#options;
    this.#isOver = isStopping();
    return this.#isOver ? connection.last : connection.kept;
  }

  onSent(): void {
    this.#isAnswering = false;
    // Not from within the handler that has just answered.
    if (this.#waiting || this.isEnded || this.#isOver) process.nextTick(() => this.#goOn());
  }

  /** Unless something is on its way out. */
  closeIfIdle(): void {
    if (this.socket.writableLength === 0) this.#closeUnlessAnswering();
  }

  #closeUnlessAnswering(): void {
    if (!this.#isAnswering) this.socket.destroy();
  }

  #receive(bytes: Buffer): void {
    if (this.socket.writableEnded) return;
    if (!this.#isBusy) {
      this.#take(bytes);
      return;
    }
    this.#waiting = this.#waiting ? Buffer.concat([this.#waiting, bytes]) : bytes;
    // A client that asks on and on, and reads no answer, must not fill our memory.
    if (this.#waiting.length > this.#options.headMaxBytes) this.socket.pause();
  }

  get #isBusy(): boolean {
    return this.#isAnswering || this.socket.writableNeedDrain;
  }

  #take(bytes: Buffer): void {
    const { find, headMaxBytes } = this.#options;
    const head = bytes.length <= headMaxBytes ? parseHead(bytes.toString("latin1")) : undefined;
    const answer = head && find(head, this.socket);
    if (!answer) {
      this.#handOver(bytes);
      return;
    }
    this.#isAnswering = true;
    answer(new ExpressOutlet(this, head.method === "HEAD"));
  }

  #end(): void {
    this.isEnded = true;
    this.#goOn();
  }

  /** After an answer, and when the system has taken it. */
  #goOn(): void {
    if (this.#isBusy || this.socket.destroyed) return;
    const bytes = this.#waiting;
    this.#waiting = undefined;
    if (bytes && !this.#isOver) {
      this.socket.resume();
      this.#take(bytes);
    } else if (this.isEnded || this.#isOver || this.#options.isStopping()) {
      this.socket.end();
    }
  }

  #handOver(bytes: Buffer): void {
    for (const [event, listener] of Object.entries(this.#listeners)) this.socket.off(event, listener);
    this.socket.setTimeout(0);
    this.#options.handOver(this, bytes);
  }
}
