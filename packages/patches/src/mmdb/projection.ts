import { PatchError } from "../patch-error.ts";
import type { MmdbFile } from "./mmdb-file.ts";
import { OffsetSet } from "./offset-set.ts";
import { NO_TARGET, TokenScanner } from "./tokens.ts";
import { FIRST_VALUE, offsetOf } from "./tree-reader.ts";

/** An offset of the base whose place in the result is not known. */
export const UNKNOWN = -1;

/**
 * Maps values of the base to their places in the result. Only offsets count that something in the base points to. The
 * maker and the client of a patch fill it in the same order, so what it predicts need not be in the patch.
 */
export class Projection {
  readonly targets: OffsetSet;
  /** The offset in the result plus one, for each target. */
  readonly #places: Uint32Array;

  constructor(targets: OffsetSet) {
    this.targets = targets;
    this.#places = new Uint32Array(targets.size);
  }

  clear(): void {
    this.#places.fill(0);
  }

  set(baseOffset: number, resultOffset: number): void {
    const number = this.targets.numberOf(baseOffset);
    if (number !== -1) this.#places[number] = resultOffset + 1;
  }

  /** The predicted offset in the result, or `UNKNOWN`. */
  of(baseOffset: number): number {
    const number = this.targets.numberOf(baseOffset);
    return number === -1 ? UNKNOWN : this.at(number);
  }

  /** The same, by the number of a target. */
  at(number: number): number {
    return (this.#places[number] ?? 0) - 1;
  }
}

/**
 * Finds all offsets of the data section that a record or a pointer leads to, and passes on where each value begins.
 * Throws a PatchError if the section does not consist of complete values.
 */
export function findTargets({ tree, data }: MmdbFile, onValue: (offset: number) => void = () => undefined): OffsetSet {
  const targets = new OffsetSet(data.length);
  for (let node = 0; node < tree.nodeCount; node++) {
    for (let side = 0; side < 2; side++) {
      const reference = tree.reference(node, side);
      if (reference <= FIRST_VALUE) targets.add(offsetOf(reference));
    }
  }
  const scanner = new TokenScanner(data);
  try {
    while (scanner.end < data.length) {
      onValue(scanner.end);
      scanner.startValue(scanner.end);
      while (scanner.next()) {
        if (scanner.target === NO_TARGET) continue;
        if (scanner.target >= data.length) throw new RangeError("a pointer leads outside of it");
        targets.add(scanner.target);
      }
    }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new PatchError("unsupported", `the mmdb's data cannot be read: ${error.message}`);
  }
  targets.complete();
  return targets;
}
