import type { OnReadOpts, Socket } from "node:net";
import { deferred } from "../deferred.ts";
import { abortedError, cutOffError, DbdepotError, networkError, timeoutError } from "../errors.ts";
import type { Route } from "./connection.ts";
import { type Framing, framingOf } from "./framing.ts";
import { type Head, HeadReader } from "./head.ts";
import { type Incoming, type Outgoing, place, type Sink } from "./transport.ts";

const SCRATCH_BYTES = 64 * 1024;

/**
 * One request for a file on a connection of its own, whose bytes go from the system straight to where they are
 * wanted. node:http makes a new buffer for every 64 KiB: that takes twice the time and a hundred megabytes more
 * (measured with 1 GiB).
 */
export async function transfer(outgoing: Outgoing, route: Route): Promise<Incoming> {
  const incoming = new SocketIncoming(outgoing);
  await incoming.open(route);
  return incoming;
}

class SocketIncoming implements Incoming {
  readonly #outgoing: Outgoing;
  readonly #where: string;
  readonly #reader = new HeadReader();
  readonly #headArrived = deferred<void>();
  readonly #bodyArrived = deferred<void>();
  readonly #scratch = Buffer.allocUnsafeSlow(SCRATCH_BYTES);
  readonly #giveUp = new AbortController();
  readonly #onAbort = () => this.#fail(abortedError());
  #socket: Socket | undefined;
  #timer: NodeJS.Timeout | undefined;
  #head: Head = { status: 0, headers: new Map() };
  #framing: Framing | undefined;
  #sink: Sink | undefined;
  /** Bytes of the body that there was no room for. */
  #unplaced: Uint8Array = Buffer.alloc(0);
  /** Nothing is taken, until there is a sink, or room in it. */
  #isPaused = false;
  /** What came all the same: TLS brings all that it has unpacked, asked or not. */
  readonly #held: Uint8Array[] = [];
  #hasEnded = false;
  /** Memory of the sink that the system may write to. */
  #lent: Uint8Array | undefined;
  #isOver = false;

  constructor(outgoing: Outgoing) {
    this.#outgoing = outgoing;
    this.#where = outgoing.url.origin;
    // Whichever is awaited first tells; the other must not count as unheard.
    this.#headArrived.promise.catch(() => {});
    this.#bodyArrived.promise.catch(() => {});
  }

  get status(): number {
    return this.#head.status;
  }

  header(name: string): string | null {
    return this.#head.headers.get(name) ?? null;
  }

  async open(route: Route): Promise<void> {
    const { signal, timeoutMs } = this.#outgoing;
    if (signal?.aborted) throw abortedError();
    signal?.addEventListener("abort", this.#onAbort, { once: true });
    this.#timer = setTimeout(() => this.#fail(timeoutError(this.#where, timeoutMs)), timeoutMs);
    const onread: OnReadOpts = {
      buffer: () => this.#nextBuffer(),
      callback: (lengthBytes, buffer) => this.#take(buffer, lengthBytes),
    };
    try {
      const socket = await route.connect(this.#giveUp.signal, onread);
      this.#listen(socket);
      socket.write(requestHead(this.#outgoing, route));
      await this.#headArrived.promise;
    } catch (error) {
      this.#fail(networkError(this.#where, error));
      return this.#headArrived.promise;
    } finally {
      clearTimeout(this.#timer);
    }
  }

  async text(): Promise<string> {
    const pieces: Buffer[] = [];
    const room = Buffer.alloc(SCRATCH_BYTES);
    await this.pour({
      room: () => room,
      filled: (lengthBytes) => pieces.push(Buffer.from(room.subarray(0, lengthBytes))),
      roomAgain: async () => {},
    });
    return Buffer.concat(pieces).toString();
  }

  async pour(sink: Sink): Promise<void> {
    this.#sink = sink;
    this.#resume();
    return this.#bodyArrived.promise;
  }

  discard(): void {
    this.#end();
  }

  #listen(socket: Socket): void {
    this.#socket = socket;
    if (this.#isOver) return void socket.destroy();
    // Through a proxy's tunnel bytes come as events, in buffers of the system's.
    socket.on("data", (bytes: Buffer) => {
      if (!this.#take(bytes, bytes.length)) socket.pause();
    });
    socket.on("error", (error) => this.#fail(this.#head.status === 0 ? networkError(this.#where, error) : this.#cut()));
    socket.on("timeout", () => this.#fail(timeoutError(this.#where, this.#outgoing.timeoutMs)));
    for (const event of ["end", "close"]) {
      socket.on(event, () => {
        this.#hasEnded = true;
        if (!this.#isPaused) this.#judgeEnd();
      });
    }
  }

  #cut(): DbdepotError {
    return cutOffError(this.#where);
  }

  #judgeEnd(): void {
    if (this.#framing?.endsWithConnection) this.#end();
    else this.#fail(this.#cut());
  }

  /** Where the system puts what comes next. While nothing is taken that is here, and copied later. */
  #nextBuffer(): Uint8Array {
    this.#lent = this.#isOver || this.#isPaused ? undefined : this.#sink?.room();
    return this.#lent ?? this.#scratch;
  }

  /** False: bring no more until the socket is resumed. */
  #take(buffer: Uint8Array, lengthBytes: number): boolean {
    if (this.#isOver) return false;
    const bytes = buffer.subarray(0, lengthBytes);
    if (this.#isPaused) this.#held.push(Buffer.from(bytes));
    else this.#isPaused = !this.#process(bytes, buffer === this.#lent);
    return !this.#isPaused;
  }

  /** First with what was held back, then with what comes. */
  #resume(): void {
    this.#isPaused = false;
    while (!this.#isPaused && !this.#isOver) {
      const bytes = this.#held.shift();
      if (!bytes) break;
      this.#isPaused = !this.#process(bytes, false);
    }
    if (this.#isPaused || this.#isOver) return;
    if (this.#hasEnded) this.#judgeEnd();
    this.#socket?.setTimeout(this.#outgoing.timeoutMs);
    this.#socket?.resume();
  }

  /** Whether more can be taken now. */
  #process(bytes: Uint8Array, isLent: boolean): boolean {
    try {
      if (!this.#framing) return this.#processHead(bytes);
      const bodyBytes = this.#framing.decode(bytes);
      if (isLent) this.#sink?.filled(bodyBytes);
      else this.#unplaced = bytes.subarray(0, bodyBytes);
      return this.#proceed(this.#framing, this.#sink as Sink);
    } catch (error) {
      this.#fail(new DbdepotError("network", `${this.#where}: ${(error as Error).message}`, { retryable: true }));
      return false;
    }
  }

  #processHead(bytes: Uint8Array): boolean {
    const taken = this.#reader.take(bytes);
    if (!taken) return true;
    this.#framing = framingOf(taken.head);
    this.#head = taken.head;
    this.#held.push(taken.rest);
    this.#headArrived.resolve();
    return false;
  }

  #proceed(framing: Framing, sink: Sink): boolean {
    this.#unplaced = place(this.#unplaced, sink);
    const isPlaced = this.#unplaced.length === 0;
    if (isPlaced && framing.isComplete) {
      this.#end();
      return false;
    }
    if (isPlaced && sink.room()) return true;
    // The memory that it lies in is used again.
    this.#unplaced = Buffer.from(this.#unplaced);
    this.#waitForRoom(framing, sink);
    return false;
  }

  /** The time that the disk takes is not the network's. */
  #waitForRoom(framing: Framing, sink: Sink): void {
    this.#socket?.setTimeout(0);
    sink.roomAgain().then(
      () => {
        if (!this.#isOver && this.#proceed(framing, sink)) this.#resume();
      },
      (error) => this.#fail(error),
    );
  }

  #fail(error: DbdepotError): void {
    if (this.#isOver) return;
    this.#headArrived.reject(error);
    this.#bodyArrived.reject(error);
    this.#end();
  }

  #end(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#outgoing.signal?.removeEventListener("abort", this.#onAbort);
    this.#bodyArrived.resolve();
    this.#giveUp.abort();
    this.#socket?.destroy();
  }
}

function requestHead({ method, url, headers }: Outgoing, route: Route): string {
  const all = { host: url.host, accept: "*/*", ...headers, ...route.headers, connection: "close" };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${route.target} HTTP/1.1\r\n${lines.join("")}\r\n`;
}
