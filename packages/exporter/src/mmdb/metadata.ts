import { ByteList } from "@dbdepot/formats/mmdb/byte-list";
import { METADATA_MARKER, TAIL_BYTES } from "@dbdepot/formats/mmdb/layout";
import { ExportFault } from "../export-fault.ts";
import { appendWithoutPointers } from "./encode.ts";
import type { MapValue, Value } from "./value.ts";

export interface MmdbAbout {
  databaseType: string;
  /** Texts by language code. */
  description: Readonly<Record<string, string>>;
  languages: readonly string[];
  buildEpochSeconds: number;
}

export interface MmdbLayoutFacts {
  nodeCount: number;
  recordSizeBits: number;
  ipVersion: 4 | 6;
}

export function encodeMetadata(about: MmdbAbout, facts: MmdbLayoutFacts): Buffer {
  const out = new ByteList(1024);
  out.pushBytes(METADATA_MARKER);
  appendWithoutPointers(out, {
    type: "map",
    value: [
      ["binary_format_major_version", uint16(2)],
      ["binary_format_minor_version", uint16(0)],
      ["build_epoch", { type: "uint64", value: BigInt(about.buildEpochSeconds) }],
      ["database_type", string(about.databaseType)],
      ["description", stringMap(about.description)],
      ["ip_version", uint16(facts.ipVersion)],
      ["languages", { type: "array", value: about.languages.map(string) }],
      ["node_count", { type: "uint32", value: facts.nodeCount }],
      ["record_size", uint16(facts.recordSizeBits)],
    ],
  });
  if (out.length > TAIL_BYTES) throw new ExportFault(["the mmdb's description is too long: 128 KiB is the limit"]);
  return out.view();
}

function stringMap(byLanguage: Readonly<Record<string, string>>): MapValue {
  return { type: "map", value: Object.entries(byLanguage).map(([language, text]) => [language, string(text)]) };
}

function string(value: string): Value {
  return { type: "string", value };
}

function uint16(value: number): Value {
  return { type: "uint16", value };
}
