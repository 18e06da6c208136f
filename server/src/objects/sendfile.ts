import { close } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import type { Socket } from "node:net";
import { promisify } from "node:util";

/** At a time, so that many take turns. */
const MOST_BYTES = 1024 * 1024;
/** Under way at once, the others wait in line: of the four threads that Node.js has for files one stays free for the rest. */
const MOST_CALLS = 3;
/** "A second descriptor, which no child process gets", in the words of Linux. */
const F_DUPFD_CLOEXEC = 1030;

/** What we call of the C library. Both return -1 when they fail. */
interface Library {
  sendfile(to: number, from: number, position: number, bytes: number): Promise<number>;
  duplicate(descriptor: number): number;
}

let loading: Promise<Library | undefined> | undefined;
let calls = 0;
const line: (() => void)[] = [];

/**
 * A connection to which the kernel sends a file's pages as they are, with sendfile(2): they are not copied to our memory
 * and back. Node.js has no such call, so koffi makes it. 64 transfers get 4.9 GB a second so, and 2.3 by copies, on two
 * cores in the same hour (docs/decisions/0014-sendfile.md).
 *
 * It has a descriptor of its own. A client may go away while another thread sends to it; Node.js then closes its
 * descriptor, and whoever connects next gets that number.
 */
export class DirectConnection {
  readonly #library: Library;
  readonly #descriptor: number;

  private constructor(library: Library, descriptor: number) {
    this.#library = library;
    this.#descriptor = descriptor;
  }

  /** Undefined where there is no such way. Whoever opens it closes it. */
  static async open(socket: Socket | null): Promise<DirectConnection | undefined> {
    const library = await getLibrary();
    const descriptor = descriptorOf(socket);
    if (!library || descriptor === undefined) return undefined;
    const own = library.duplicate(descriptor);
    return own < 0 ? undefined : new DirectConnection(library, own);
  }

  /**
   * How many bytes the system has taken, and none whenever it takes none: the connection is full, or broken, or the file
   * is. Whoever goes on in the ordinary way is told which. Everything written before must have been taken already.
   */
  async send(file: FileHandle, position: number, bytes: number): Promise<number> {
    if (calls < MOST_CALLS) calls += 1;
    else await new Promise<void>((resolve) => line.push(resolve));
    try {
      const sent = await this.#library.sendfile(this.#descriptor, file.fd, position, Math.min(bytes, MOST_BYTES));
      return Math.max(sent, 0);
    } finally {
      const next = line.shift();
      if (next) next();
      else calls -= 1;
    }
  }

  async close(): Promise<void> {
    await promisify(close)(this.#descriptor);
  }
}

/** Whether there are direct connections on this system at all. */
export async function isSendfileThere(): Promise<boolean> {
  return (await getLibrary()) !== undefined;
}

/** Not of an encrypted connection: what the kernel sends is what the client gets. */
function descriptorOf(socket: Socket | null): number | undefined {
  if (!socket || "encrypted" in socket) return undefined;
  const { _handle: handle } = socket as unknown as { _handle: { fd?: unknown } | null };
  return typeof handle?.fd === "number" && handle.fd >= 0 ? handle.fd : undefined;
}

function getLibrary(): Promise<Library | undefined> {
  loading ??= loadLibrary();
  return loading;
}

async function loadLibrary(): Promise<Library | undefined> {
  if (process.platform !== "linux") return undefined;
  try {
    const { default: koffi } = await import("koffi");
    if (koffi.sizeof("long") !== 8) return undefined; // A position in a file would be another type.
    const symbols = koffi.load(null);
    const sendfile = symbols.func("long sendfile(int to, int from, long *position, size_t bytes)");
    const fcntl = symbols.func("int fcntl(int descriptor, int command, ...)");
    return {
      sendfile: (to, from, position, bytes) =>
        new Promise((resolve, reject) => {
          sendfile.async(to, from, [position], bytes, (error: Error | null, sent: number | bigint) =>
            error ? reject(error) : resolve(Number(sent)),
          );
        }),
      duplicate: (descriptor) => fcntl(descriptor, F_DUPFD_CLOEXEC, "int", 0),
    };
  } catch {
    return undefined;
  }
}
