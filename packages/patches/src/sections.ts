import { ByteList } from "@dbdepot/formats/mmdb/byte-list";
import { PatchError } from "./patch-error.ts";
import type { ScriptReader } from "./script-reader.ts";
import { appendVarint, PartReader } from "./varint.ts";

/** Larger sections compress a little better, and take more memory. */
const SECTION_BYTES = 1 << 18;

/**
 * The body of a patch is a sequence of sections, so that it never has to be in memory as a whole. A section begins with the
 * number of items that it is about, followed by its parts: bytes of the same kind, which compress better together. Zero
 * items end a sequence of sections.
 */
export class SectionWriter {
  readonly parts: readonly ByteList[];
  #items = 0;

  constructor(partCount: number) {
    this.parts = Array.from({ length: partCount }, () => new ByteList(1 << 12));
  }

  addItems(count: number): void {
    this.#items += count;
  }

  get isFull(): boolean {
    let bytes = 0;
    for (const part of this.parts) bytes += part.length;
    return bytes >= SECTION_BYTES;
  }

  /** Yields the last section and the end of the sequence. */
  *end(): Generator<Buffer> {
    if (this.#items > 0) yield this.take();
    yield this.take();
  }

  /** Returns the section and begins a new one. An empty section ends the sequence. */
  take(): Buffer {
    const out = new ByteList(1 << 12);
    appendVarint(out, this.#items);
    if (this.#items > 0) {
      for (const part of this.parts) {
        appendVarint(out, part.length);
        out.pushList(part);
      }
    }
    this.#items = 0;
    for (const part of this.parts) part.clear();
    return out.view();
  }
}

interface Section {
  items: number;
  parts: PartReader[];
}

/** Reads sections up to the end of their sequence. */
export async function* readSections(script: ScriptReader, partCount: number): AsyncGenerator<Section> {
  for (;;) {
    const items = await readVarint(script);
    if (items === 0) return;
    const parts: PartReader[] = [];
    while (parts.length < partCount) parts.push(await readPart(script));
    yield { items, parts };
  }
}

export async function readPart(script: ScriptReader): Promise<PartReader> {
  return new PartReader(await script.take(await readVarint(script)));
}

async function readVarint(script: ScriptReader): Promise<number> {
  const numbers = await script.nextEdit();
  if (!numbers) throw new PatchError("invalid", "the patch is truncated");
  return numbers.varint();
}
