import { ByteList } from "@dbdepot/formats/mmdb/byte-list";
import { appendPointer, pointerSizeBytes } from "@dbdepot/formats/mmdb/pointers";
import { ExportFault } from "../export-fault.ts";
import { appendValue } from "./encode.ts";
import { OffsetTable } from "./offset-table.ts";
import type { Value } from "./value.ts";

/** Pointers have 32 bits. */
const MAX_SECTION_BYTES = 2 ** 32 - 1;

/**
 * The data section, in which equal values are stored once. Strings, bytes, maps and arrays inside a value are stored
 * separately and referenced by a pointer, unless they are as short as the pointer. Therefore equal records have equal
 * bytes and can be found by them.
 */
export class DataSection {
  readonly #bytes = new ByteList(1 << 16);
  readonly #stored = new OffsetTable(this.#bytes);
  /** One buffer for each level of nesting. */
  readonly #buffers: ByteList[] = [];
  #level = 0;

  get sizeBytes(): number {
    return this.#bytes.length;
  }

  view(): Buffer {
    return this.#bytes.view();
  }

  /** Returns the offset of the value in the section. */
  store(value: Value): number {
    const encoded = this.#encode(value);
    const offset = this.#stored.find(encoded) ?? this.#add(encoded);
    this.#level--;
    return offset;
  }

  /** The result is valid until `#level` is decremented. */
  #encode(value: Value): ByteList {
    this.#buffers[this.#level] ??= new ByteList(256);
    const encoded = this.#buffers[this.#level++] as ByteList;
    encoded.clear();
    appendValue(encoded, value, this.#appendPart);
    return encoded;
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
    const encoded = this.#encode(part);
    const known = this.#stored.find(encoded);
    // Offsets only grow, so a value that is too short for a pointer stays so.
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
