import { expect, test } from "vitest";
import { planRows, type Row, selectRows } from "../src/row.ts";
import { ROWS } from "../src/rows/all.ts";
import type { Tool } from "../src/tools.ts";

const row = (name: string, ...needs: Tool[]): Row => ({ name, what: name, needs, measure: async () => [] });
const rows = [row("list"), row("stream-v1", "nginx", "curl"), row("stream-v1-64", "nginx"), row("streams")];
const namesOf = (found: readonly Row[]) => found.map(({ name }) => name);

test("a row is named whole or by its first words", () => {
  expect(namesOf(selectRows(rows, []))).toEqual(["list", "stream-v1", "stream-v1-64", "streams"]);
  expect(namesOf(selectRows(rows, ["stream"]))).toEqual(["stream-v1", "stream-v1-64"]);
  expect(namesOf(selectRows(rows, ["stream-v1-64", "list"]))).toEqual(["list", "stream-v1-64"]);
  expect(() => selectRows(rows, ["lists"])).toThrow('there is no row "lists"');
});

test("what is left out is said, in a line for each tool that is missing", () => {
  const plan = planRows(rows, { wrk: "/bin/wrk", curl: "/bin/curl" });
  expect(namesOf(plan.rows)).toEqual(["list", "streams"]);
  expect(plan.gaps).toEqual([
    "nginx is not installed (Debian: apt-get install nginx-light): left out are stream-v1, stream-v1-64.",
  ]);
});

test("a weaker load is said too", () => {
  expect(planRows([row("list")], {}).gaps).toEqual([expect.stringMatching(/^wrk is not installed .*autocannon/)]);
});

test("no two rows have the same name", () => {
  expect(new Set(namesOf(ROWS)).size).toBe(ROWS.length);
});
