import type { ServerResponse } from "node:http";
import type { Ready, ReadyHeader } from "./ready.ts";

/** Names and values in turn, as Node takes them too: a list is put together faster than an object. */
export type HeaderList = string[];

/** The way by which one answer gets to its client. */
export interface Outlet {
  /** Whether the headers have left. */
  readonly isBegun: boolean;
  /** Whether all of it was handed to the system. */
  readonly isDone: boolean;
  /** `listener` is called once, when the answer is out or the client is gone. */
  onOver(listener: () => void): void;
  /** All of it at once. `onTaken` is called when the body's memory is free again, also if the client went away. */
  send(status: number, headers: HeaderList, body: Buffer | undefined, onTaken?: () => void): void;
  sendReady(ready: Ready, id: string, more?: ReadyHeader): void;
  /** Its headers. The body is written to the response, and ended, by whoever called. */
  begin(status: number, headers: HeaderList): ServerResponse;
  /** Cuts the connection: once the headers are out, nothing else tells the client that something is wrong. */
  cut(): void;
}

/** By Node's own response. */
export class NodeOutlet implements Outlet {
  readonly #response: ServerResponse;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  get isBegun(): boolean {
    return this.#response.headersSent;
  }

  get isDone(): boolean {
    return this.#response.writableFinished;
  }

  onOver(listener: () => void): void {
    this.#response.once("close", listener);
  }

  send(status: number, headers: HeaderList, body: Buffer | undefined, onTaken?: () => void): void {
    if (onTaken) this.onOver(onTaken);
    // Node leaves the body out where the request was a HEAD.
    this.#response.writeHead(status, headers).end(body);
  }

  sendReady({ status, headers, body }: Ready, id: string, more?: ReadyHeader): void {
    this.send(status, ["x-request-id", id, ...(more?.list ?? []), ...headers], body);
  }

  begin(status: number, headers: HeaderList): ServerResponse {
    return this.#response.writeHead(status, headers);
  }

  cut(): void {
    this.#response.destroy();
  }
}
