import { pipeline } from "node:stream";
import { createGunzip } from "node:zlib";
import { readChunks } from "../files.ts";
import { blaming, PatchError } from "../patch-error.ts";
import { MAX_PIECE_BYTES } from "../script-reader.ts";

const LINE_FEED = 10;
const CHUNK_BYTES = 1 << 16;

/**
 * Reads the text of a csv.gz line by line. A line ends after its line feed, and the last one may have none. A line feed
 * inside quotes ends a line too: lines are only the units in which files are compared. Reading a line takes no await.
 */
export class LineReader {
  readonly #chunks: AsyncIterator<Buffer>;
  /** Consists of whole lines. */
  #chunk: Buffer = Buffer.alloc(0);
  #at = 0;
  /** The start of a line that is not complete yet. */
  #rest: Buffer = Buffer.alloc(0);
  #isAtEnd = false;

  constructor(chunks: AsyncIterable<Buffer>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  static open(path: string, signal: AbortSignal | undefined): LineReader {
    return new LineReader(gunzipped(path, signal));
  }

  /** The next line. Undefined if `fill` must be called first. */
  next(): Buffer | undefined {
    const start = this.#at;
    if (start >= this.#chunk.length) return undefined;
    this.#at = this.#endOfLine(start);
    return this.#chunk.subarray(start, this.#at);
  }

  /** Up to `count` lines that are in memory, as one piece. */
  take(count: number): { bytes: Buffer; lines: number } {
    const start = this.#at;
    let lines = 0;
    while (lines < count && this.#at < this.#chunk.length) {
      this.#at = this.#endOfLine(this.#at);
      lines++;
    }
    return { bytes: this.#chunk.subarray(start, this.#at), lines };
  }

  /** Reads more lines after all previous ones have been taken. Returns false at the end of the file. */
  async fill(): Promise<boolean> {
    while (!this.#isAtEnd) {
      const { value, done } = await this.#chunks.next();
      if (done) {
        this.#isAtEnd = true;
        this.#chunk = this.#rest;
      } else {
        const end = value.lastIndexOf(LINE_FEED) + 1;
        this.#chunk = end === 0 ? value.subarray(0, 0) : Buffer.concat([this.#rest, value.subarray(0, end)]);
        this.#rest = end === 0 ? Buffer.concat([this.#rest, value]) : Buffer.from(value.subarray(end));
        if (this.#rest.length > MAX_PIECE_BYTES) throw tooLong();
      }
      this.#at = 0;
      if (this.#chunk.length > 0) return true;
    }
    return false;
  }

  /** Stops reading before the end. */
  async close(): Promise<void> {
    await this.#chunks.return?.();
  }

  #endOfLine(from: number): number {
    const lineFeed = this.#chunk.indexOf(LINE_FEED, from);
    const end = lineFeed === -1 ? this.#chunk.length : lineFeed + 1;
    if (end - from > MAX_PIECE_BYTES) throw tooLong();
    return end;
  }
}

/** The text of a gzip file. */
function gunzipped(path: string, signal: AbortSignal | undefined): AsyncGenerator<Buffer> {
  return blaming("unsupported", `${path} is not a valid gzip file`, unzipped(path, signal));
}

/** A generator, so that a file that is never read is never opened. */
async function* unzipped(path: string, signal: AbortSignal | undefined): AsyncGenerator<Buffer> {
  const gunzip = createGunzip({ chunkSize: CHUNK_BYTES });
  // Errors reach the reader of the last stream.
  pipeline(readChunks(path, signal), gunzip, () => undefined);
  yield* gunzip;
}

function tooLong(): PatchError {
  return new PatchError("unsupported", `a line is longer than ${MAX_PIECE_BYTES} bytes`);
}
