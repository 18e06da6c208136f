import { describe, expect, it } from "vitest";
import { inBytes, inRows } from "../src/amounts.ts";
import { Progress, type ProgressOptions } from "../src/progress.ts";

const MIB = 1024 * 1024;

/** Something that takes a second for every step. */
function progressOf(options: Partial<ProgressOptions>) {
  const said: string[] = [];
  let nowMs = 0;
  const progress = new Progress({
    label: "publishing vpn_ip_v1",
    total: 100 * MIB,
    say: (text) => said.push(text),
    columns: null,
    nowMs: () => nowMs,
    ...options,
  });
  const step = (amount: number, seconds = 1) => {
    nowMs += seconds * 1000;
    progress.advance(amount);
  };
  return { said, step, progress };
}

describe("progress", () => {
  it("is a line every few seconds where lines stay", () => {
    const { said, step, progress } = progressOf({});
    for (let i = 0; i < 11; i += 1) step(5 * MIB);
    progress.end();
    expect(said).toEqual([
      "publishing vpn_ip_v1: 25 % of 100.0 MiB, 5.0 MiB/s, 15 s left\n",
      "publishing vpn_ip_v1: 50 % of 100.0 MiB, 5.0 MiB/s, 10 s left\n",
    ]);
  });

  it("is a bar in one line on a terminal, which is gone at the end", () => {
    const { said, step, progress } = progressOf({ columns: 100 });
    step(50 * MIB);
    step(1, 0.01);
    step(50 * MIB - 1);
    progress.end();
    expect(said).toEqual([
      "\r\x1b[Kpublishing vpn_ip_v1: 50 % of 100.0 MiB, 50.0 MiB/s, 1 s left [############............]",
      "\r\x1b[Kpublishing vpn_ip_v1: 100 % of 100.0 MiB, 49.8 MiB/s, 0 s left [########################]",
      "\r\x1b[K",
    ]);
  });

  it("does without a total", () => {
    const { said, step } = progressOf({ columns: 100, total: undefined, unit: inRows });
    step(1000);
    expect(said).toEqual(["\r\x1b[Kpublishing vpn_ip_v1: 1000 rows, 1000 rows/s"]);
  });

  it("can last", () => {
    const { said, step } = progressOf({ total: 20_000 * MIB });
    step(MIB, 10);
    expect(said[0]).toMatch(/0 % of 19\.5 GiB, 102\.4 KiB\/s, 55 h 33 min left/);
    step(5000 * MIB, 10);
    expect(said[1]).toMatch(/1 min 0 s left/);
  });

  it("writes amounts as people read them", () => {
    expect([0, 1023, 1024, 1.5 * MIB, 5 * 1024 * MIB, 2 ** 60].map(inBytes)).toEqual([
      "0 B",
      "1023 B",
      "1.0 KiB",
      "1.5 MiB",
      "5.0 GiB",
      "1048576.0 TiB",
    ]);
  });
});
