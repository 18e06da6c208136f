import type { Socket } from "node:net";
import type { HeaderList, Outlet } from "../outlet.ts";
import type { Ready, ReadyHeader } from "../ready.ts";
import { answerStart, headerLines } from "./answer-head.ts";

const DESK_BYTES = 16 * 1024;
const NOTHING: Buffer = Buffer.alloc(0);

/**
 * Short answers are put together here, and the system takes them at once as a rule. Sent as text they were garbage, some
 * 3 kB each.
 */
let desk = Buffer.allocUnsafeSlow(DESK_BYTES);

/** The connection that an answer belongs to. */
export interface Connection {
  readonly socket: Socket;
  /** The headers about it, as they are when the answer leaves. */
  connectionLines(): string;
  /** The next request can be taken. */
  onSent(): void;
}

/** By the socket itself, in one piece. */
export class ExpressOutlet implements Outlet {
  readonly #connection: Connection;
  readonly #isHead: boolean;
  #onOver: (() => void) | undefined;
  isBegun = false;
  isDone = false;

  constructor(connection: Connection, isHead: boolean) {
    this.#connection = connection;
    this.#isHead = isHead;
  }

  onOver(listener: () => void): void {
    this.#onOver = listener;
  }

  send(status: number, headers: HeaderList, body?: Buffer, onTaken?: () => void): void {
    const head = `${this.#start(status)}${headerLines(headers)}\r\n`;
    const sent = this.#isHead || !body ? NOTHING : body;
    if (head.length + sent.length > DESK_BYTES) this.#sendLong(head, sent, onTaken);
    else {
      this.#sendShort(head, sent);
      onTaken?.();
    }
  }

  sendReady(ready: Ready, id: string, more?: ReadyHeader): void {
    const { status, text } = ready;
    const head = `${this.#start(status)}x-request-id: ${id}\r\n${more?.line ?? ""}`;
    if (text === undefined || this.#isHead || head.length + text.length > DESK_BYTES) {
      this.send(status, ["x-request-id", id, ...(more?.list ?? []), ...ready.headers], ready.body);
    } else {
      this.#sendShort(head, text);
    }
  }

  begin(): never {
    throw new Error("a route that sends streams says so by isInOnePiece");
  }

  cut(): void {
    this.#connection.socket.destroy();
  }

  #start(status: number): string {
    return answerStart(status, this.#connection.connectionLines());
  }

  #sendShort(head: string, rest: Buffer | string): void {
    const { socket } = this.#connection;
    // The client may have gone away: what nobody hears was not said.
    if (!socket.destroyed) {
      this.isBegun = true;
      this.isDone = true;
      desk.write(head, "latin1");
      if (typeof rest === "string") desk.write(rest, head.length, "latin1");
      else desk.set(rest, head.length);
      socket.write(desk.subarray(0, head.length + rest.length));
      // What the system has not taken yet lies there until it has.
      if (socket.writableLength > 0) desk = Buffer.allocUnsafeSlow(DESK_BYTES);
    }
    this.#onOver?.();
    this.#connection.onSent();
  }

  #sendLong(head: string, body: Buffer, onTaken: (() => void) | undefined): void {
    const { socket } = this.#connection;
    const over = () => {
      onTaken?.();
      this.#onOver?.();
    };
    if (socket.destroyed) over();
    else {
      this.isBegun = true;
      socket.cork();
      socket.write(head, "latin1");
      socket.write(body, (error) => {
        this.isDone = !error;
        over();
      });
      socket.uncork();
    }
    this.#connection.onSent();
  }
}
