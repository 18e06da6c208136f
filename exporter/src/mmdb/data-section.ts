import { ExportFault } from "../export-fault.ts";
import { ByteList } from "./byte-list.ts";
import { appendPointer, appendValue, pointerSizeBytes } from "./encode.ts";
import { OffsetTable } from "./offset-table.ts";
import type { Value } from "./value.ts";

/** Pointers have 32 bits. */
const MAX_SECTION_BYTES = 2 ** 32 - 1;

/**
 * The data section, in which equal values are stored once. Strings, bytes, maps and arrays inside
 * a value are stored on their own and pointed to, unless they are as short as the pointer. So equal
 * records have equal bytes, whatever was stored before, and are found by their bytes alone.
 */
export class DataSection {
  readonly #bytes = new ByteList(1 << 16);
  readonly #stored = new OffsetTable(this.#bytes);
  /** One for each level of nesting. */
  readonly #drafts: ByteList[] = [];
  #level = 0;

  get sizeBytes(): number {
    return this.#bytes.length;
  }

  view(): Buffer {
    return this.#bytes.view();
  }

  /** Where the value lies, from the start of the section. */
  store(value: Value): number {
    const draft = this.#draft(value);
    const offset = this.#stored.find(draft) ?? this.#add(draft);
    this.#level--;
    return offset;
  }

  /** The value's encoding, until the level is given back. */
  #draft(value: Value): ByteList {
    this.#drafts[this.#level] ??= new ByteList(256);
    const draft = this.#drafts[this.#level++] as ByteList;
    draft.clear();
    appendValue(draft, value, this.#appendPart);
    return draft;
  }

  #add(encoded: ByteList): number {
    const offset = this.#bytes.length;
    if (offset + encoded.length > MAX_SECTION_BYTES) throw new ExportFault(["the mmdb's records exceed 4 GiB"]);
    this.#bytes.pushList(encoded);
    this.#stored.add(encoded, offset);
    return offset;
  }

  readonly #appendPart = (out: ByteList, part: Value): void => {
    if (!isWorthPointing(part)) {
      appendValue(out, part, this.#appendPart);
      return;
    }
    const encoded = this.#draft(part);
    const known = this.#stored.find(encoded);
    // Offsets only rise, so what was once too short for a pointer stays so: the choice depends on the value alone.
    if (pointerSizeBytes(known ?? this.#bytes.length) < encoded.length) {
      appendPointer(out, known ?? this.#add(encoded));
    } else {
      out.pushList(encoded);
    }
    this.#level--;
  };
}

function isWorthPointing({ type }: Value): boolean {
  return type === "string" || type === "bytes" || type === "map" || type === "array";
}
