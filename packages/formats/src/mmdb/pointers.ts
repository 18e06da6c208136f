import type { ByteList } from "./byte-list.ts";
import { DATA_TYPES } from "./metadata.ts";

// How far a pointer of 2, 3 and 4 bytes reaches; one of 5 bytes reaches everywhere.
const REACH_OF_2 = 2 ** 11;
const REACH_OF_3 = REACH_OF_2 + 2 ** 19;
const REACH_OF_4 = REACH_OF_3 + 2 ** 27;

export function pointerSizeBytes(offset: number): number {
  if (offset < REACH_OF_2) return 2;
  if (offset < REACH_OF_3) return 3;
  return offset < REACH_OF_4 ? 4 : 5;
}

export function appendPointer(out: ByteList, offset: number): void {
  const size = pointerSizeBytes(offset);
  const base = size === 3 ? REACH_OF_2 : size === 4 ? REACH_OF_3 : 0;
  const control = (DATA_TYPES.pointer << 5) | ((size - 2) << 3);
  if (size === 5) {
    out.pushByte(control);
    out.pushUint(offset, 4);
  } else {
    // The control byte's last three bits are the pointer's highest.
    const payloadBits = (size - 1) * 8;
    const rest = offset - base;
    out.pushByte(control | (rest >>> payloadBits));
    out.pushUint(rest & (2 ** payloadBits - 1), size - 1);
  }
}
