import { wordAt } from "./uint32-list.ts";

// Addresses are packed into one array, `width` words each: the i-th starts at word i * width.

export function compareAt(a: Uint32Array, i: number, b: Uint32Array, j: number, width: number): number {
  for (let k = 0; k < width; k++) {
    const difference = wordAt(a, i * width + k) - wordAt(b, j * width + k);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Compares the lengths of the ranges `i` and `j`. */
export function compareSpans(firsts: Uint32Array, lasts: Uint32Array, i: number, j: number, width: number): number {
  let result = 0;
  let borrowI = 0;
  let borrowJ = 0;
  // Compares from the lowest word up, so that the highest word that differs decides.
  for (let k = width - 1; k >= 0; k--) {
    const spanI = wordAt(lasts, i * width + k) - wordAt(firsts, i * width + k) - borrowI;
    const spanJ = wordAt(lasts, j * width + k) - wordAt(firsts, j * width + k) - borrowJ;
    borrowI = spanI < 0 ? 1 : 0;
    borrowJ = spanJ < 0 ? 1 : 0;
    const difference = (spanI >>> 0) - (spanJ >>> 0);
    if (difference !== 0) result = difference;
  }
  return result;
}

/** Changes the address to the next one. Returns false after the last one. */
export function increment(address: Uint32Array): boolean {
  for (let k = address.length - 1; k >= 0; k--) {
    address[k] = wordAt(address, k) + 1;
    if (address[k] !== 0) return true;
  }
  return false;
}

export function copyAt(target: Uint32Array, source: Uint32Array, i: number): void {
  for (let k = 0; k < target.length; k++) target[k] = wordAt(source, i * target.length + k);
}

/** The number of bits up to and including the last one that is set. */
export function significantBits(words: Uint32Array, i: number, width: number): number {
  for (let k = width - 1; k >= 0; k--) {
    const word = wordAt(words, i * width + k);
    if (word !== 0) return k * 32 + 32 - trailingZeros(word);
  }
  return 0;
}

export function bitAt(words: Uint32Array, i: number, width: number, bit: number): number {
  return (wordAt(words, i * width + (bit >>> 5)) >>> (31 - (bit & 31))) & 1;
}

function trailingZeros(word: number): number {
  return 31 - Math.clz32(word & -word);
}
