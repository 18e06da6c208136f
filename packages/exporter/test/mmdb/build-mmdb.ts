import type { RecordSizeBits } from "@dbdepot/formats/mmdb/node-records";
import { DataSection } from "../../src/mmdb/data-section.ts";
import { parseNetwork, parseRange } from "../../src/mmdb/network.ts";
import { Networks } from "../../src/mmdb/networks.ts";
import type { Value } from "../../src/mmdb/value.ts";
import { layOutMmdb } from "../../src/mmdb/writer.ts";

/** A network as CIDR, or the first and the last address of a range. */
export type Place = string | readonly [first: string, last: string];

/** Builds an MMDB file in memory. Each row is a network or range with its record. */
export function buildMmdb(rows: readonly (readonly [Place, Value])[], recordSizeBits?: RecordSizeBits) {
  const networks = new Networks();
  const data = new DataSection();
  const offsets = rows.map(([place, value], row) => {
    const range = typeof place === "string" ? parseNetwork(place) : parseRange(place[0], place[1]);
    const fault = "fault" in range ? range.fault : networks.add(range, row);
    if (fault !== undefined) throw new Error(fault);
    return data.store(value);
  });
  const layout = layOutMmdb({
    networks,
    data,
    offsetOf: (row) => offsets[row] as number,
    about: {
      databaseType: "test_v1",
      description: { en: "A test" },
      languages: ["en"],
      buildEpochSeconds: 1_767_312_000,
    },
    ...(recordSizeBits !== undefined && { recordSizeBits }),
  });
  return { ...layout, file: Buffer.concat([...layout.bytes()]) };
}

/** Rows whose records contain the row number. */
export function numbered(places: readonly Place[]): [Place, Value][] {
  return places.map((place, row) => [place, { type: "map", value: [["row", { type: "uint32", value: row }]] }]);
}
