import type { ByteList } from "@dbdepot/formats/mmdb/byte-list";
import { DATA_TYPES, LAST_SHORT_TYPE } from "@dbdepot/formats/mmdb/metadata";
import { ExportFault } from "../export-fault.ts";
import type { Value } from "./value.ts";

const MAX_SIZE = 16_843_036;

/** Appends an element of a map or an array. */
export type AppendPart = (out: ByteList, part: Value) => void;

export function appendValue(out: ByteList, value: Value, appendPart: AppendPart): void {
  switch (value.type) {
    case "string": {
      const sizeBytes = Buffer.byteLength(value.value);
      appendControl(out, "string", sizeBytes);
      out.pushText(value.value, sizeBytes);
      return;
    }
    case "bytes":
      appendControl(out, "bytes", value.value.length);
      out.pushBytes(value.value);
      return;
    case "double":
      appendControl(out, "double", 8);
      out.pushDouble(value.value);
      return;
    case "float":
      appendControl(out, "float", 4);
      out.pushFloat(value.value);
      return;
    case "boolean":
      appendControl(out, "boolean", value.value ? 1 : 0);
      return;
    case "map":
      appendControl(out, "map", value.value.length);
      for (const [key, part] of value.value) {
        appendPart(out, { type: "string", value: key });
        appendPart(out, part);
      }
      return;
    case "array":
      appendControl(out, "array", value.value.length);
      for (const part of value.value) appendPart(out, part);
      return;
    default:
      appendInteger(out, value);
  }
}

/** Encodes the metadata section, in which some readers do not follow pointers. */
export function appendWithoutPointers(out: ByteList, value: Value): void {
  appendValue(out, value, appendWithoutPointers);
}

const INTEGER_LIMITS = {
  uint16: [0n, 2n ** 16n - 1n],
  uint32: [0n, 2n ** 32n - 1n],
  int32: [-(2n ** 31n), 2n ** 31n - 1n],
  uint64: [0n, 2n ** 64n - 1n],
  uint128: [0n, 2n ** 128n - 1n],
} as const;
type IntegerType = keyof typeof INTEGER_LIMITS;

export function isInteger(type: IntegerType, value: bigint): boolean {
  const [least, most] = INTEGER_LIMITS[type];
  return value >= least && value <= most;
}

/** Leading zero bytes are omitted, so zero has no bytes. */
function appendInteger(out: ByteList, { type, value }: Extract<Value, { type: IntegerType }>): void {
  if (typeof value === "bigint") {
    const hex = value === 0n ? "" : value.toString(16);
    const bytes = Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, "hex");
    appendControl(out, type, bytes.length);
    out.pushBytes(bytes);
  } else {
    const word = value >>> 0;
    const size = Math.ceil((32 - Math.clz32(word)) / 8);
    appendControl(out, type, size);
    out.pushUint(word, size);
  }
}

function appendControl(out: ByteList, type: Value["type"], size: number): void {
  const number = DATA_TYPES[type];
  const high = number > LAST_SHORT_TYPE ? 0 : number << 5;
  const sizeBits = size < 29 ? size : size < 285 ? 29 : size < 65_821 ? 30 : 31;
  out.pushByte(high | sizeBits);
  if (number > LAST_SHORT_TYPE) out.pushByte(number - LAST_SHORT_TYPE);
  if (sizeBits === 29) out.pushUint(size - 29, 1);
  if (sizeBits === 30) out.pushUint(size - 285, 2);
  if (sizeBits !== 31) return;
  if (size > MAX_SIZE) throw new ExportFault([`an MMDB ${type} holds at most ${MAX_SIZE}, not ${size}`]);
  out.pushUint(size - 65_821, 3);
}
