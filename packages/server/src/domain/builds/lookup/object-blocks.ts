import type { ReadRange } from "@dbdepot/formats/mmdb/lookup";
import { LRUCache } from "lru-cache";
import type { ObjectStore } from "../object-store.ts";

const BLOCK_BYTES = 16 * 1024;
/** 8 MiB in total, whatever the size of the files. */
const BLOCKS_MAX = 512;

/**
 * Reads small parts of objects in aligned blocks and keeps the recent ones. Objects never change, so blocks don't
 * either.
 */
export class ObjectBlocks {
  readonly #objects: Pick<ObjectStore, "read">;
  readonly #blocks = new LRUCache<string, Buffer>({ max: BLOCKS_MAX });

  constructor(objects: Pick<ObjectStore, "read">) {
    this.#objects = objects;
  }

  reader(objectKey: string): ReadRange {
    return async (first, last) => {
      const parts: Buffer[] = [];
      for (let index = Math.floor(first / BLOCK_BYTES); index * BLOCK_BYTES <= last; index += 1) {
        const start = index * BLOCK_BYTES;
        const block = await this.#block(objectKey, start);
        parts.push(block.subarray(Math.max(0, first - start), last - start + 1));
      }
      const bytes = parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts);
      if (bytes.length !== last - first + 1) throw new RangeError(`object "${objectKey}" ends before byte ${last}`);
      return bytes;
    };
  }

  async #block(objectKey: string, start: number): Promise<Buffer> {
    const name = `${start} ${objectKey}`;
    const cached = this.#blocks.get(name);
    if (cached) return cached;
    const chunks: Buffer[] = [];
    for await (const chunk of await this.#objects.read(objectKey, { first: start, last: start + BLOCK_BYTES - 1 })) {
      // Copied, because the stream may reuse the memory.
      chunks.push(Buffer.from(chunk));
    }
    const block = Buffer.concat(chunks);
    this.#blocks.set(name, block);
    return block;
  }
}
