import type { Socket } from "node:net";
import type { HeaderList, Outlet } from "../outlet.ts";
import { answerHead } from "./answer-head.ts";

/** A body up to this goes out as one text with its head: one write, and no list of buffers. */
const SHORT_BODY_BYTES = 8 * 1024;

export interface Terms {
  isHead: boolean;
  /** The headers about the connection, as they are when the answer leaves. */
  connection(): string;
  /** The next request can be taken. */
  onSent(): void;
}

/** By the socket itself, in one piece. */
export class ExpressOutlet implements Outlet {
  readonly #socket: Socket;
  readonly #terms: Terms;
  #onOver: (() => void) | undefined;
  isBegun = false;
  isDone = false;

  constructor(socket: Socket, terms: Terms) {
    this.#socket = socket;
    this.#terms = terms;
  }

  onOver(listener: () => void): void {
    this.#onOver = listener;
  }

  send(status: number, headers: HeaderList, body: Buffer | undefined, onTaken?: () => void): void {
    const head = answerHead(status, headers, this.#terms.connection());
    const over = () => {
      onTaken?.();
      this.#onOver?.();
    };
    // The client may have gone away: what nobody hears was not said.
    if (this.#socket.destroyed) over();
    else this.#write(head, this.#terms.isHead ? undefined : body, over);
    this.#terms.onSent();
  }

  begin(): never {
    throw new Error("a route that sends streams says so by isInOnePiece");
  }

  cut(): void {
    this.#socket.destroy();
  }

  #write(head: string, body: Buffer | undefined, over: () => void): void {
    const socket = this.#socket;
    this.isBegun = true;
    if (body && body.length > SHORT_BODY_BYTES) {
      socket.cork();
      socket.write(head, "latin1");
      socket.write(body, (error) => {
        this.isDone = !error;
        over();
      });
      socket.uncork();
    } else {
      socket.write(body ? head + body.toString("latin1") : head, "latin1");
      this.isDone = true;
      over();
    }
  }
}
