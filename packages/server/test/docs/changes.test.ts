import { DatabaseSync } from "node:sqlite";
import { compareTables, type Strategy } from "@dbdepot/formats/changes/compare";
import { ChangeCounter } from "@dbdepot/formats/changes/summary";
import { readCsv } from "@dbdepot/formats/csv/read";
import { formatCsvRow } from "@dbdepot/formats/csv/write";
import { describe, expect, inject, it, onTestFinished } from "vitest";
import { Random } from "../../../../rigs/harness/random.ts";
import { engineNamed } from "../../../../rigs/harness/service/engines.ts";
import { RowWriter } from "../../src/domain/builds/changes/row-writer.ts";
import { PAGES } from "./pages.ts";

const page = PAGES.find(({ path }) => path === "docs/customers/changes.md");
const [byKey = "", byRow = ""] = (page?.blocks ?? []).filter(({ info }) => info === "sql").map(({ code }) => code);
const COLUMNS = ["network", "provider"];
/** Networks in several spellings, in the order in which exporters sort them. */
const NETWORKS = [
  ["10.0.9.41/32", "10.0.9.41"],
  ["10.0.9.42"],
  ["10.1.0.0/16"],
  ["10.2.0.0/16"],
  ["2001:db8::1/128", "2001:DB8::1", "2001:db8:0::1"],
  ["2001:db8:1::/48", "2001:DB8:1::/48"],
];
const PROVIDERS = ["one", "two, with a comma", 'a "third" one', "", "four"];

type Sql = (statements: string) => Promise<Record<string, unknown>[]>;
type Rows = string[][];

const databases: Record<string, () => Promise<Sql>> = {
  async SQLite() {
    const database = new DatabaseSync(":memory:");
    onTestFinished(() => database.close());
    return async (statements) => {
      if (statements.startsWith("select")) return database.prepare(statements).all();
      database.exec(statements);
      return [];
    };
  },
  ...(inject("postgresUrl") && {
    async PostgreSQL() {
      const { query, dispose } = await engineNamed("postgres").create("none");
      onTestFinished(dispose);
      return query;
    },
  }),
};

/** A build: sorted or not, with respelled networks, repeated keys and identical rows. */
function randomBuild(random: Random, previous: Rows, isSorted: boolean): Rows {
  const rows = previous
    .filter(() => random.chance(0.8))
    .map(([network = "", provider = ""]) => {
      const spellings = NETWORKS.find((each) => each.includes(network)) ?? [network];
      return [
        random.chance(0.2) ? random.pick(spellings) : network,
        random.chance(0.2) ? random.pick(PROVIDERS) : provider,
      ];
    });
  for (let i = random.integer(0, 4); i > 0; i--)
    rows.push([random.pick(random.pick(NETWORKS)), random.pick(PROVIDERS)]);
  if (rows.length > 0 && random.chance(0.5)) rows.push([...random.pick(rows)]);
  const position = ([network = ""]: string[]) => NETWORKS.findIndex((each) => each.includes(network));
  if (isSorted) return rows.sort((a, b) => position(a) - position(b));
  return rows
    .map((row) => ({ row, at: random.next() }))
    .sort((a, b) => a.at - b.at)
    .map(({ row }) => row);
}

/** The feed between two builds, read as SQL databases read CSV. */
async function feedOf(before: Rows, after: Rows, wholeRows: boolean, random: Random): Promise<Rows> {
  const files = { before: csvOf(before, random), after: csvOf(after, random) };
  const writer = new RowWriter();
  const compare = (strategy: Strategy, isCounted: boolean) =>
    compareTables({
      open: async function* (side) {
        yield files[side];
      },
      keyOf: () => [0],
      createSink: (header) =>
        isCounted ? new ChangeCounter(header) : writer.start(header, strategy.wholeRows ? [0, 1] : [0]),
      strategy,
    });
  const found = await compare({ wholeRows, parts: 0 }, true);
  if ("reason" in found) throw new Error(found.reason);
  await compare(found.strategy, false);
  return readRows(writer.take() as Buffer);
}

/** Quotes cells at random, which means nothing. */
function csvOf(rows: Rows, random: Random): Buffer {
  const quoting = { lineEnd: "\n", needsQuotes: /^/ } as const;
  const texts = rows.map((row) => formatCsvRow(row, random.chance(0.2) ? quoting : undefined));
  return Buffer.from(formatCsvRow(COLUMNS) + texts.join(""));
}

async function readRows(bytes: Buffer): Promise<Rows> {
  const rows: Rows = [];
  for await (const batch of readCsv([bytes] as unknown as AsyncIterable<Buffer>)) {
    for (const row of batch) rows.push(row.cells());
  }
  return rows;
}

function insert(table: string, rows: Rows): string {
  const literal = (cell: string) => `'${cell.replaceAll("'", "''")}'`;
  return rows.map((row) => `insert into ${table} values (${row.map(literal).join(", ")});`).join("");
}

describe.each(Object.keys(databases))("The SQL in docs/customers/changes.md on %s", (name) => {
  it.each([
    ["by key", byKey, false],
    ["by whole rows", byRow, true],
  ])("keeps a table equal to the CSV %s", async (_, statements, wholeRows) => {
    const sql = (await databases[name]?.()) as Sql;
    for (let seed = 0; seed < 40; seed++) {
      const random = new Random(seed);
      const isSorted = random.chance(0.5);
      await sql("drop table if exists hosting_ip; create table hosting_ip (network text, provider text)");
      let build: Rows = [];
      for (let day = 0; day < 8; day++) {
        const next = randomBuild(random, build, isSorted);
        const [, ...feed] = await feedOf(build, next, wholeRows, random);
        await sql(`create table changes (op text, network text, provider text);${insert("changes", feed)}`);
        await sql(statements);
        const rows = await sql("select network, provider from hosting_ip");
        const table = rows.map(({ network, provider }) => [network, provider]);
        expect({ seed, day, rows: sortedTexts(table) }).toEqual({ seed, day, rows: sortedTexts(next) });
        build = next;
      }
    }
  });
});

function sortedTexts(rows: unknown[][]): string[] {
  return rows.map((row) => JSON.stringify(row)).sort();
}
