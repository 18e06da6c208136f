/**
 * Arrays of pointers to the next array, down to a leaf. Each level multiplies the number of decoded values, so a few
 * hundred bytes decode to billions.
 */
export function nestedPointers(levels: number, width: number, leaf: readonly number[]): Buffer {
  const levelBytes = 2 + width * 2;
  const arrays = Array.from({ length: levels }, (_, level) => [
    width,
    4,
    ...Array.from({ length: width }, () => pointer((level + 1) * levelBytes)).flat(),
  ]);
  return Buffer.from([...arrays.flat(), ...leaf]);
}

/** A pointer to an offset below 2048. */
function pointer(offset: number): number[] {
  return [0x20 | (offset >> 8), offset & 255];
}
