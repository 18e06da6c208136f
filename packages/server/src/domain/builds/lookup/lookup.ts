import { toJson } from "@dbdepot/formats/mmdb/json";
import { layoutOf, type MmdbLayout, TAIL_BYTES } from "@dbdepot/formats/mmdb/layout";
import { lookUp } from "@dbdepot/formats/mmdb/lookup";
import ipaddr from "ipaddr.js";
import { LRUCache } from "lru-cache";
import { invalid } from "../../../platform/primitives/faults.ts";
import type { BuildFile } from "../build.ts";
import type { ObjectBlocks } from "./object-blocks.ts";

const LAYOUTS_CACHED = 100;
const IPV4_BITS_IN_IPV6 = 96;

export interface Lookup {
  /** The network that the record is about, or null without a record. */
  network: string | null;
  record: unknown;
}

/** Finds records in published MMDB files with a few small reads, without loading them. */
export class Lookups {
  readonly #blocks: ObjectBlocks;
  readonly #layouts = new LRUCache<string, MmdbLayout>({ max: LAYOUTS_CACHED });

  constructor(blocks: ObjectBlocks) {
    this.#blocks = blocks;
  }

  async find({ objectKey, sizeBytes }: BuildFile, text: string): Promise<Lookup> {
    const address = requireAddress(text);
    const layout = await this.#layout(objectKey, sizeBytes);
    if (layout.ipVersion === 4 && address.kind() === "ipv6") {
      throw invalid("this database contains only IPv4 addresses");
    }
    const bytes = Buffer.from(address.toByteArray());
    const { prefixLength, record } = await lookUp(layout, bytes, this.#blocks.reader(objectKey));
    if (record === undefined) return { network: null, record: null };
    return { network: networkOf(address, prefixLength, layout), record: toJson(record) };
  }

  async #layout(objectKey: string, sizeBytes: number): Promise<MmdbLayout> {
    const cached = this.#layouts.get(objectKey);
    if (cached) return cached;
    const tail = await this.#blocks.reader(objectKey)(Math.max(0, sizeBytes - TAIL_BYTES), sizeBytes - 1);
    const layout = layoutOf(tail, sizeBytes);
    this.#layouts.set(objectKey, layout);
    return layout;
  }
}

function requireAddress(text: string): ipaddr.IPv4 | ipaddr.IPv6 {
  const trimmed = text.trim();
  if (!ipaddr.IPv4.isValidFourPartDecimal(trimmed) && !ipaddr.IPv6.isValid(trimmed)) {
    throw invalid(`"${trimmed}" is not an IP address: use one like 192.0.2.1 or 2001:db8::1`);
  }
  return ipaddr.process(trimmed);
}

/** In a file for both kinds, IPv4 addresses are the last 32 bits below ::/96. */
function networkOf(address: ipaddr.IPv4 | ipaddr.IPv6, prefixLength: number, { ipVersion }: MmdbLayout): string {
  if (address instanceof ipaddr.IPv6) {
    return `${ipaddr.IPv6.networkAddressFromCIDR(`${address}/${prefixLength}`)}/${prefixLength}`;
  }
  const length = ipVersion === 6 ? prefixLength - IPV4_BITS_IN_IPV6 : prefixLength;
  if (length < 0) return `::/${prefixLength}`;
  return `${ipaddr.IPv4.networkAddressFromCIDR(`${address}/${length}`)}/${length}`;
}
