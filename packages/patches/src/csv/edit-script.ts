import { ByteList } from "@dbdepot/formats/mmdb/byte-list";
import { endOfRun } from "../hash-matches.ts";
import { appendVarint } from "../varint.ts";
import type { LineReader } from "./line-reader.ts";

/**
 * The edits of a script. Each begins with a number, which is four times its argument plus one of these. `copy` and `skip`: the
 * argument is a number of lines of the base. `insert`: it is the number of new bytes, which follow. `replace`: it is the number of
 * bytes to keep at the start of a line of the base; the number of bytes to keep at its end and the new bytes between them follow.
 */
export const EDITS = { copy: 0, skip: 1, insert: 2, replace: 3 };

const CHUNK_BYTES = 1 << 16;
/** How many lines of the base are searched for the old version of a line. */
const WINDOW_LINES = 64;
const COMMA = 44;

/** Yields the edits that turn the base's lines into the result's. `matches` are the lines that are copied. */
export async function* editScript(
  base: LineReader,
  result: LineReader,
  matches: Int32Array,
  baseLines: number,
): AsyncGenerator<Buffer> {
  const script = new ScriptWriter();
  const window: Buffer[] = [];
  let baseAt = 0;
  for (let i = 0; i < matches.length; ) {
    const end = endOfRun(matches, i);
    const match = matches[i] as number;
    if (match >= 0) {
      // Nothing in the window was an old version of a new line.
      script.skip(match - baseAt);
      await discard(base, match - baseAt - window.length + (end - i));
      await discard(result, end - i);
      window.length = 0;
      script.copy(end - i);
      baseAt = match + (end - i);
      i = end;
    } else {
      const gapEnd = end < matches.length ? (matches[end] as number) : baseLines;
      for (; i < end; i++) {
        const line = await nextLine(result);
        await fillWindow(window, base, Math.min(WINDOW_LINES, gapEnd - baseAt));
        const old = window.findIndex((each) => isSameKey(each, line));
        if (old === -1) {
          script.insert(line);
        } else {
          script.skip(old);
          script.replace(window[old] as Buffer, line);
          window.splice(0, old + 1);
          baseAt += old + 1;
        }
        if (script.length > CHUNK_BYTES) yield script.take();
      }
    }
    if (script.length > CHUNK_BYTES) yield script.take();
  }
  // The lines that are left are skipped by not mentioning them.
  yield script.take();
}

async function fillWindow(window: Buffer[], base: LineReader, lines: number): Promise<void> {
  while (window.length < lines) window.push(await nextLine(base));
}

async function nextLine(lines: LineReader): Promise<Buffer> {
  for (;;) {
    const line = lines.next();
    if (line !== undefined) return line;
    // The file was longer when its lines were counted. The patch will fail its test.
    if (!(await lines.fill())) return Buffer.alloc(0);
  }
}

async function discard(lines: LineReader, count: number): Promise<void> {
  for (let left = count; left > 0; ) {
    left -= lines.take(left).lines;
    if (left > 0 && !(await lines.fill())) return;
  }
}

/** The first cell names the row: its network, or its id. */
function isSameKey(a: Buffer, b: Buffer): boolean {
  const comma = a.indexOf(COMMA);
  const end = comma === -1 ? a.length : comma + 1;
  return b.length >= end && a.compare(b, 0, end, 0, end) === 0;
}

class ScriptWriter {
  #bytes = new ByteList(1 << 12);
  #copied = 0;
  #skipped = 0;

  get length(): number {
    return this.#bytes.length;
  }

  /** The script so far. */
  take(): Buffer {
    this.#flush();
    const bytes = Buffer.from(this.#bytes.view());
    this.#bytes.clear();
    return bytes;
  }

  copy(lines: number): void {
    if (this.#skipped > 0) this.#flush();
    this.#copied += lines;
  }

  skip(lines: number): void {
    if (this.#copied > 0) this.#flush();
    this.#skipped += lines;
  }

  insert(line: Buffer): void {
    this.#begin(EDITS.insert, line.length);
    this.#bytes.pushBytes(line);
  }

  replace(old: Buffer, line: Buffer): void {
    const shorter = Math.min(old.length, line.length);
    let prefix = 0;
    while (prefix < shorter && old[prefix] === line[prefix]) prefix++;
    let suffix = 0;
    while (suffix < shorter - prefix && old.at(-1 - suffix) === line.at(-1 - suffix)) suffix++;
    this.#begin(EDITS.replace, prefix);
    appendVarint(this.#bytes, suffix);
    appendVarint(this.#bytes, line.length - prefix - suffix);
    this.#bytes.pushBytes(line.subarray(prefix, line.length - suffix));
  }

  #begin(edit: number, argument: number): void {
    this.#flush();
    appendVarint(this.#bytes, argument * 4 + edit);
  }

  #flush(): void {
    if (this.#copied > 0) appendVarint(this.#bytes, this.#copied * 4 + EDITS.copy);
    if (this.#skipped > 0) appendVarint(this.#bytes, this.#skipped * 4 + EDITS.skip);
    this.#copied = 0;
    this.#skipped = 0;
  }
}
