/** Gives damaged input to every parser. Prints the slowest parse and the memory of the process as JSON. */
import { Random } from "../../harness/random.ts";
import { damage } from "./damage.ts";
import type { Parser } from "./parser.ts";
import { parsers } from "./parsers.ts";

const [seed = 1, inputs = 1000] = process.argv.slice(2).map(Number);

const slowestMs: Record<string, number> = {};
for (const parser of await parsers()) slowestMs[parser.name] = await fuzz(parser);
process.stdout.write(`${JSON.stringify({ slowestMs, peakMb: process.resourceUsage().maxRSS / 1000 })}\n`);

/** Returns the milliseconds of the slowest parse. */
async function fuzz({ name, examples, parse, isRefusal }: Parser): Promise<number> {
  const random = new Random(seed);
  for (const example of examples) await parse(example);
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
