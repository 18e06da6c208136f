import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Compared, type Comparison, compareTables } from "../../src/changes/compare.ts";
import { ChangeCounter, type TableChanges } from "../../src/changes/summary.ts";
import { formatCsvRow } from "../../src/csv/write.ts";

const HEADER = ["network", "provider", "risk"];
type Options = Partial<Pick<Comparison, "limits" | "strategy" | "keyOf">>;

/** Compares two tables by their first column, in small chunks. */
async function compare(before: string[][], after: string[][], options: Options = {}) {
  return compareTexts(textOf([HEADER, ...before]), textOf([HEADER, ...after]), options);
}

async function compareTexts(before: string, after: string, options: Options = {}) {
  let counter = new ChangeCounter([]);
  const texts = { before, after };
  const compared = await compareTables({
    open: (side) => chunks(texts[side]),
    keyOf: () => [0],
    createSink(header) {
      counter = new ChangeCounter(header);
      return counter;
    },
    ...options,
  });
  return { compared, changes: counter.result };
}

async function* chunks(text: string) {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += 256) yield bytes.subarray(at, at + 256);
}

function textOf(rows: string[][]): string {
  return rows.map((row) => formatCsvRow(row)).join("");
}

function counts({ added, removed, changed, unchanged, repeatedKeys }: TableChanges) {
  return { added, removed, changed, unchanged, repeatedKeys };
}

const sorted = Array.from({ length: 200 }, (_, i) => [`10.0.${i}.0/24`, "a", "1"]);

describe("compareTables", () => {
  it("counts added, removed and changed rows by key, and changed cells by column", async () => {
    const after = sorted.map((row) => [...row]);
    (after[7] as string[])[2] = "5";
    (after[9] as string[])[1] = "b";
    (after[9] as string[])[2] = "6";
    after.splice(20, 1);
    after.push(["2001:db8::/32", "new, quoted", "1"]);
    const { compared, changes } = await compare(sorted, after);
    expect(compared).toEqual({ key: ["network"], strategy: { wholeRows: false, parts: 0 } });
    expect(counts(changes)).toEqual({ added: 1, removed: 1, changed: 2, unchanged: 197, repeatedKeys: 0 });
    expect(changes.columns).toEqual([
      { name: "network", changed: 0 },
      { name: "provider", changed: 1 },
      { name: "risk", changed: 2 },
    ]);
    expect(changes.examples).toEqual({
      added: [{ network: "2001:db8::/32", provider: "new, quoted", risk: "1" }],
      removed: [{ network: "10.0.20.0/24", provider: "a", risk: "1" }],
      changed: [
        {
          before: { network: "10.0.7.0/24", provider: "a", risk: "1" },
          after: { network: "10.0.7.0/24", provider: "a", risk: "5" },
        },
        {
          before: { network: "10.0.9.0/24", provider: "a", risk: "1" },
          after: { network: "10.0.9.0/24", provider: "b", risk: "6" },
        },
      ],
    });
  });

  it("keeps at most 20 examples of each kind, with short cells", async () => {
    const after = sorted.map(([network = ""]) => [network, "x".repeat(1000), "1"]);
    const { changes } = await compare(sorted, after);
    expect(changes.changed).toBe(200);
    expect(changes.examples.changed).toHaveLength(20);
    expect(changes.examples.changed[0]?.after.provider).toBe(`${"x".repeat(200)}…`);
  });

  it("ignores how cells are quoted and networks are written", async () => {
    const header = "network,provider,risk\n";
    const { changes } = await compareTexts(
      `${header}192.0.2.1,a,1\n2001:DB8::/32,b,2\n`,
      `${header}192.0.2.1,"a",1\n2001:db8::/32,b,2\n`,
    );
    expect(counts(changes)).toMatchObject({ added: 0, removed: 0, changed: 1, unchanged: 1 });
    expect(changes.columns[0]).toEqual({ name: "network", changed: 1 });
  });

  it("compares ranges by both of their ends", async () => {
    const ranges = ["9.0.0.0,9.0.0.7,a", "10.0.0.0,10.0.0.3,a", "10.0.0.4,10.0.0.7,b", "2001:db8::,2001:db8::f,c"];
    const header = "start_ip,end_ip,provider\n";
    const { compared, changes } = await compareTexts(
      `${header}${ranges.join("\n")}\n`,
      `${header}${ranges.join("\n").replace("10.0.0.7,b", "10.0.0.6,b").replace(",c", ",d")}\n`,
      { keyOf: () => [0, 1] },
    );
    expect(compared).toMatchObject({ key: ["start_ip", "end_ip"], strategy: { parts: 0 } });
    expect(counts(changes)).toMatchObject({ added: 1, removed: 1, changed: 1, unchanged: 2 });
  });

  it("does not pair rows of a key that is repeated", async () => {
    const [a, b, c] = [
      ["10.0.0.0/8", "a", "1"],
      ["10.0.0.0/8", "b", "1"],
      ["10.0.0.0/8", "c", "1"],
    ];
    const { changes } = await compare([a, b] as string[][], [c, a] as string[][]);
    expect(counts(changes)).toEqual({ added: 1, removed: 1, changed: 0, unchanged: 1, repeatedKeys: 1 });
  });

  it("compares whole rows if the key does not identify them", async () => {
    const before = Array.from({ length: 1500 }, (_, i) => ["10.0.0.0/8", `p${i}`, "1"]);
    const after = [...before.slice(1), ["10.0.0.0/8", "new", "1"]];
    const { compared, changes } = await compare(before, after);
    expect(compared).toMatchObject({ strategy: { wholeRows: true } });
    expect(counts(changes)).toMatchObject({ added: 1, removed: 1, changed: 0, unchanged: 1499 });
  });

  it("compares unsorted tables in parts that fit into memory", async () => {
    const after = sorted.toReversed().map((row) => [...row]);
    (after[0] as string[])[2] = "9";
    const limits = { partCharacters: 1200, parts: 16 };
    const { compared, changes } = await compare(sorted, after, { limits });
    expect((compared as Compared & { strategy: { parts: number } }).strategy.parts).toBeGreaterThan(2);
    expect(counts(changes)).toEqual({ added: 0, removed: 0, changed: 1, unchanged: 199, repeatedKeys: 0 });
  });

  it("says why tables cannot be compared", async () => {
    const limits = { partCharacters: 1200, parts: 2 };
    expect((await compare(sorted, sorted.toReversed(), { limits })).compared).toEqual({
      reason: expect.stringContaining("not sorted"),
    });
    expect((await compareTexts("network,risk\n", "network,score\n")).compared).toEqual({
      reason: "the columns of the two builds differ",
    });
  });

  it("finds the same changes whatever the order, and they lead from one table to the other", async () => {
    const cell = fc.constantFrom("a", "b", "c,d", 'q"', "line\nfeed", "");
    const network = fc.oneof(
      fc.nat({ max: 30 }).map((n) => `10.0.${n}.0/24`),
      fc.nat({ max: 9 }).map((n) => `2001:db8:${n}::/48`),
      fc.constantFrom("n/a", "x,y"),
    );
    const table = fc.array(fc.tuple(network, cell, cell), { maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(table, table, fc.boolean(), async (before, after, isSorted) => {
        const rows = [before, after].map((list) => (isSorted ? list.toSorted((a, b) => (a[0] < b[0] ? -1 : 1)) : list));
        const [old = [], next = []] = rows as string[][][];
        const found = await compare(old, next);
        const inParts = await compare(old, next, { strategy: { wholeRows: false, parts: 3 } });
        expect(counts(inParts.changes)).toMatchObject({ ...counts(found.changes), repeatedKeys: expect.any(Number) });
        const { added, removed, changed, unchanged } = found.changes;
        expect(removed + changed + unchanged).toBe(old.length);
        expect(added + changed + unchanged).toBe(next.length);
      }),
      { numRuns: 200 },
    );
  });
});
