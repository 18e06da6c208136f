import type { ByteList } from "./byte-list.ts";
import { DATA_TYPES } from "./metadata.ts";

// How far a pointer of 2, 3 and 4 bytes reaches; one of 5 bytes reaches everywhere.
const REACH_OF_2 = 2 ** 11;
const REACH_OF_3 = REACH_OF_2 + 2 ** 19;
const REACH_OF_4 = REACH_OF_3 + 2 ** 27;

/** Numbers to add to a pointer's bits, by its size in bytes minus two. */
export const POINTER_BASES = [0, REACH_OF_2, REACH_OF_3, 0] as const;

export function pointerSizeBytes(offset: number): number {
  if (offset < REACH_OF_2) return 2;
  if (offset < REACH_OF_3) return 3;
  return offset < REACH_OF_4 ? 4 : 5;
}

export function appendPointer(out: ByteList, offset: number): void {
  const size = pointerSizeBytes(offset);
  const control = (DATA_TYPES.pointer << 5) | ((size - 2) << 3);
  if (size === 5) {
    out.pushByte(control);
    out.pushUint(offset, 4);
  } else {
    // The control byte's last three bits are the pointer's highest.
    const payloadBits = (size - 1) * 8;
    const rest = offset - (POINTER_BASES[size - 2] as number);
    out.pushByte(control | (rest >>> payloadBits));
    out.pushUint(rest & (2 ** payloadBits - 1), size - 1);
  }
}
