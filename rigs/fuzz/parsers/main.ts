/**
 * Gives damaged input to every parser, or to those whose names contain the third argument. Prints the slowest parse, the memory of
 * the process, and how much of it damaged input took, as JSON.
 */
import { Random } from "../../harness/random.ts";
import { damage } from "./damage.ts";
import type { Parser } from "./parser.ts";
import { parsers } from "./parsers.ts";

const [seed = 1, inputs = 1000] = process.argv.slice(2, 4).map(Number);
const [name = ""] = process.argv.slice(4);

const chosen = (await parsers()).filter((parser) => parser.name.includes(name));
for (const { examples, parse } of chosen) for (const example of examples) await parse(example);
const startMb = peakMb();
const slowestMs: Record<string, number> = {};
for (const parser of chosen) slowestMs[parser.name] = await fuzz(parser);
process.stdout.write(`${JSON.stringify({ slowestMs, peakMb: peakMb(), grownMb: peakMb() - startMb })}\n`);

function peakMb(): number {
  return process.resourceUsage().maxRSS / 1000;
}

/** Returns the milliseconds of the slowest parse. */
async function fuzz({ name, examples, parse, isRefusal }: Parser): Promise<number> {
  const random = new Random(seed);
  let slowest = 0;
  for (let i = 0; i < inputs; i += 1) {
    const input = damage(random, random.pick(examples));
    const began = performance.now();
    try {
      await parse(input);
    } catch (error) {
      if (!isRefusal?.(error)) throw new Error(`${name} failed on input ${i}`, { cause: error });
    }
    slowest = Math.max(slowest, performance.now() - began);
  }
  return slowest;
}
