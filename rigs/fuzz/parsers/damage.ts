import type { Random } from "../../harness/random.ts";

const REPEATED_MAX_BYTES = 300_000;

/** Changes, removes, moves or repeats parts of valid input, or replaces all of it. */
export function damage(random: Random, example: Buffer): Buffer {
  let bytes = example;
  for (let i = random.integer(0, 3); i >= 0; i -= 1) bytes = random.pick(KINDS)(random, bytes);
  return bytes;
}

const KINDS: ((random: Random, bytes: Buffer) => Buffer)[] = [
  (random, bytes) => {
    const changed = Buffer.from(bytes);
    for (let i = random.integer(1, 8); i > 0 && changed.length > 0; i -= 1) {
      changed[random.integer(0, changed.length - 1)] = random.integer(0, 255);
    }
    return changed;
  },
  (random, bytes) => bytes.subarray(0, random.integer(0, bytes.length)),
  (random, bytes) => {
    const [start, end] = part(random, bytes);
    return Buffer.concat([bytes.subarray(0, start), bytes.subarray(end)]);
  },
  (random, bytes) => {
    const [start, end] = part(random, bytes);
    return Buffer.concat([bytes.subarray(0, end), bytes.subarray(start)]);
  },
  // Deep nesting and long lines.
  (random, bytes) => {
    const [start, end] = part(random, bytes);
    const repeated = bytes.subarray(start, Math.min(end, start + random.integer(1, 20)));
    const times = repeated.length === 0 ? 0 : Math.floor(random.integer(0, REPEATED_MAX_BYTES) / repeated.length);
    return Buffer.concat([bytes.subarray(0, start), ...Array<Buffer>(times).fill(repeated), bytes.subarray(end)]);
  },
  (random) => random.bytes(random.integer(0, 2000)),
];

function part(random: Random, bytes: Buffer): [start: number, end: number] {
  const start = random.integer(0, bytes.length);
  return [start, random.integer(start, bytes.length)];
}
