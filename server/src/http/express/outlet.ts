import type { Socket } from "node:net";
import type { HeaderList, Outlet } from "../outlet.ts";
import type { Ready } from "../ready.ts";
import { answerHead, bodyText, headerLines } from "./answer-text.ts";

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

  send(status: number, headers: HeaderList, body: Buffer | undefined, onTaken?: () => void): void {
    const head = this.#headOf(status, headerLines(headers));
    const text = this.#isHead || !body ? "" : bodyText(body);
    if (body && text === undefined) this.#sendLong(head, body, onTaken);
    else {
      this.#sendText(`${head}${text}`);
      onTaken?.();
    }
  }

  sendReady({ status, headers, body, lines, text }: Ready, id: string): void {
    if (text === undefined) this.send(status, ["x-request-id", id, ...headers], body);
    else this.#sendText(this.#headOf(status, `x-request-id: ${id}\r\n${lines}`) + (this.#isHead ? "" : text));
  }

  begin(): never {
    throw new Error("a route that sends streams says so by isInOnePiece");
  }

  cut(): void {
    this.#connection.socket.destroy();
  }

  #headOf(status: number, headers: string): string {
    return answerHead(status, headers, this.#connection.connectionLines());
  }

  /** A character for each byte. */
  #sendText(text: string): void {
    const { socket } = this.#connection;
    // The client may have gone away: what nobody hears was not said.
    if (!socket.destroyed) {
      this.isBegun = true;
      this.isDone = true;
      socket.write(text, "latin1");
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
