import { wordAt } from "@dbdepot/formats/mmdb/uint32-list";

/** A match is only looked for where this many bytes are equal. */
const SEED_BYTES = 8;
/** Of larger files, only every second or third position is in the index, so that its size is bounded. */
const MAX_SEEDS = 2 ** 26;
const MAX_BUCKET_BITS = 24;
/** How many places with the same seed are compared. */
const MAX_CANDIDATES = 32;
/** Longer matches are not compared with each other. */
const LONG_MATCH_BYTES = 1 << 12;
/** A new alignment costs some bytes, so it must have more equal ones than the current one. */
const MIN_GAIN_BYTES = 12;

/** A range of the result, which is like the base from a position on, or new. */
interface Piece {
  start: number;
  end: number;
  /** The position in the base, or -1. */
  from: number;
}

/**
 * Yields pieces that make up the result. Those that are like the base may differ from it in some bytes: where offsets moved, many
 * bytes differ by the same number, and the differences compress well.
 */
export function* alignBytes(base: Buffer, result: Buffer): Generator<Piece> {
  const seeds = new SeedIndex(base);
  let alignment = 0;
  /** The end of the pieces so far, and of the last match. */
  let start = 0;
  let matched = 0;
  for (let at = 0; at < result.length; ) {
    if (result[at] === base[at + alignment]) {
      at++;
      continue;
    }
    const match = seeds.longestMatch(result, at);
    if (match.bytes <= countEqual(base, result, at, at + match.bytes, alignment) + MIN_GAIN_BYTES) {
      at++;
      continue;
    }
    yield* upTo(at, match.from - at);
    alignment = match.from - at;
    at += match.bytes;
    matched = at;
  }
  yield* upTo(result.length, undefined);

  /** Divides what precedes a match into the end of the last alignment, new bytes, and the start of the next alignment. */
  function* upTo(end: number, next: number | undefined): Generator<Piece> {
    const last = matched + similarBytes(base, result, { at: matched, end, alignment, step: 1 });
    const first =
      next === undefined
        ? end
        : end - similarBytes(base, result, { at: end - 1, end: matched - 1, alignment: next, step: -1 });
    const [lastEnd, nextStart] = last <= first ? [last, first] : [last, last];
    if (lastEnd > start) yield { start, end: lastEnd, from: start + alignment };
    if (nextStart > lastEnd) yield { start: lastEnd, end: nextStart, from: -1 };
    start = nextStart;
  }
}

function countEqual(base: Buffer, result: Buffer, start: number, end: number, alignment: number): number {
  let equal = 0;
  for (let at = start; at < end; at++) if (result[at] === base[at + alignment]) equal++;
  return equal;
}

interface Direction {
  at: number;
  /** The position after the last one. */
  end: number;
  alignment: number;
  step: 1 | -1;
}

/** How many bytes in one direction are worth aligning: those up to which most are equal. */
function similarBytes(base: Buffer, result: Buffer, { at, end, alignment, step }: Direction): number {
  let [score, bestScore, best] = [0, 0, 0];
  for (let i = 0, count = (end - at) * step; i < count; i++) {
    const position = at + i * step;
    const old = base[position + alignment];
    if (old === undefined) break;
    score += result[position] === old ? 1 : -1;
    if (score <= bestScore) continue;
    bestScore = score;
    best = i + 1;
  }
  return best;
}

interface Match {
  from: number;
  bytes: number;
}

/** Finds where the base has the same bytes. */
class SeedIndex {
  readonly #base: Buffer;
  readonly #step: number;
  readonly #shift: number;
  /** The number of the first seed in each bucket, plus one. */
  readonly #buckets: Uint32Array;
  /** The number of the next seed in the same bucket, plus one. */
  readonly #next: Uint32Array;

  constructor(base: Buffer) {
    this.#base = base;
    this.#step = Math.max(1, Math.ceil(base.length / MAX_SEEDS));
    const count = Math.max(0, Math.floor((base.length - SEED_BYTES) / this.#step) + 1);
    const bits = Math.min(MAX_BUCKET_BITS, Math.ceil(Math.log2(count + 2)));
    this.#shift = 32 - bits;
    this.#buckets = new Uint32Array(2 ** bits);
    this.#next = new Uint32Array(count);
    // The loop runs backwards, so that each list begins with its first seed.
    for (let seed = count - 1; seed >= 0; seed--) {
      const bucket = this.#bucketOf(base, seed * this.#step);
      this.#next[seed] = wordAt(this.#buckets, bucket);
      this.#buckets[bucket] = seed + 1;
    }
  }

  longestMatch(bytes: Buffer, at: number): Match {
    const longest = { from: 0, bytes: 0 };
    if (at + SEED_BYTES > bytes.length) return longest;
    let entry = wordAt(this.#buckets, this.#bucketOf(bytes, at));
    for (let tried = 0; entry !== 0 && tried < MAX_CANDIDATES && longest.bytes < LONG_MATCH_BYTES; tried++) {
      const from = (entry - 1) * this.#step;
      const length = this.#equalBytes(bytes, at, from);
      if (length > longest.bytes) [longest.from, longest.bytes] = [from, length];
      entry = wordAt(this.#next, entry - 1);
    }
    return longest;
  }

  #equalBytes(bytes: Buffer, at: number, from: number): number {
    const max = Math.min(LONG_MATCH_BYTES, bytes.length - at, this.#base.length - from);
    let length = 0;
    while (length < max && bytes[at + length] === this.#base[from + length]) length++;
    return length;
  }

  #bucketOf(bytes: Buffer, at: number): number {
    const [low, high] = [bytes.readInt32LE(at), bytes.readInt32LE(at + 4)];
    return Math.imul(Math.imul(low, 0x9e3779b1) ^ high, 0x85ebca6b) >>> this.#shift;
  }
}
