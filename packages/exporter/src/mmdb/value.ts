/** A value of an MMDB record, in one of the types that the format knows. */
export type Value =
  | { type: "string"; value: string }
  | { type: "double" | "float"; value: number }
  | { type: "uint16" | "uint32" | "int32"; value: number }
  | { type: "uint64" | "uint128"; value: bigint }
  | { type: "boolean"; value: boolean }
  | { type: "bytes"; value: Uint8Array }
  | { type: "array"; value: readonly Value[] }
  | MapValue;

export interface MapValue {
  type: "map";
  value: readonly (readonly [key: string, value: Value])[];
}
