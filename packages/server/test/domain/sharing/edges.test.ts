import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { formatCsvRow } from "@dbdepot/formats/csv/write";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { typedColumns } from "../../../src/domain/sharing/column-types.ts";
import { TABLE_LIMITS } from "../../../src/domain/sharing/job.ts";
import { writeTableInThread } from "../../../src/domain/sharing/write-table.ts";
import { query, rowsOf, typesOf } from "./duckdb.ts";

/** Values at the edges of each type of metadata documents, and values just outside. */
const EDGES: { types: string[]; duckdb: string; accepted: string[]; refused: string[] }[] = [
  {
    types: ["boolean"],
    duckdb: "BOOLEAN",
    accepted: ["true", "TRUE", "True", "t", "T", "1", "false", "FALSE", "False", "f", "F", "0"],
    refused: ["yes", "no", "2", "-1", "tru", " true", "null"],
  },
  {
    types: ["uint16"],
    duckdb: "INTEGER",
    accepted: ["0", "-0", "00001", "32767", "32768", "65535"],
    refused: ["65536", "-1", "+1", "1.0", "1e3", " 1", "0x10", "1_000"],
  },
  {
    types: ["int32", "INT32"],
    duckdb: "INTEGER",
    accepted: ["-2147483648", "-1", "0", "1", "2147483647"],
    refused: ["-2147483649", "2147483648", "4294967295", "1.0"],
  },
  {
    types: ["uint32"],
    duckdb: "BIGINT",
    accepted: ["0", "2147483647", "2147483648", "4294967295"],
    refused: ["-1", "4294967296"],
  },
  {
    types: ["int64", "integer"],
    duckdb: "BIGINT",
    accepted: ["-9223372036854775808", "-9007199254740993", "-1", "0", "9007199254740993", "9223372036854775807"],
    refused: ["-9223372036854775809", "9223372036854775808", "18446744073709551615", "1.0", "+1"],
  },
  {
    types: ["float"],
    duckdb: "FLOAT",
    accepted: [
      "0",
      "-0",
      "0.1",
      "16777217",
      "3.4028235e38",
      "-3.4028235E+38",
      "1.17549435e-38",
      "1e-45",
      ".5",
      "5.",
      "+1",
    ],
    refused: ["3.4028236e38", "-1e39", "NaN", "nan", "inf", "-Infinity", "1,5", "1e", "0x1p3", "."],
  },
  {
    types: ["double", "number"],
    duckdb: "DOUBLE",
    accepted: [
      ...["0", "-0", "0.1", "0.30000000000000004", "9007199254740993", "123456789012345678901234567890"],
      ...["1.7976931348623157e308", "-1.7976931348623157E+308", "2.2250738585072014e-308", "5e-324", ".5", "5.", "+1"],
    ],
    refused: ["1.8e308", "-1e309", "NaN", "nan", "inf", "-Infinity", "1,5", "1e", "--1"],
  },
  {
    types: ["date"],
    duckdb: "DATE",
    accepted: [
      ...["0001-01-01", "1582-10-10", "1900-02-28", "1969-12-31", "1970-01-01", "1972-02-29", "2000-02-29"],
      ...["2038-01-20", "2100-02-28", "9999-12-31"],
    ],
    refused: [
      ...["1900-02-29", "2100-02-29", "2026-02-29", "2026-00-01", "2026-13-01", "2026-01-00", "2026-04-31"],
      ...["10000-01-01", "-0001-01-01", "2026-1-1", "20260101", "2026-01-01T00:00:00Z", "01.02.2026"],
    ],
  },
  {
    types: ["timestamp", "datetime"],
    duckdb: "TIMESTAMP WITH TIME ZONE",
    accepted: [
      ...["0001-01-01T00:00:00Z", "1582-10-10 00:00:00Z", "1969-12-31T23:59:59.999999Z", "1970-01-01T00:00:00Z"],
      ...["1969-12-31T19:00:00-05:00", "2024-02-29T23:59:59.1+00:00", "2026-03-29T02:30:00+05:45"],
      ...[
        "2026-10-25 01:30:00.000001Z",
        "2026-10-25 01:30:00",
        "2026-10-25T01:30:00.12",
        "9999-12-31T23:59:59.999999Z",
      ],
    ],
    refused: [
      ...["2026-02-30T00:00:00Z", "2026-01-01T25:00:00Z", "2026-01-01T00:60:00Z", "2026-12-31T23:59:60Z"],
      ...["2026-01-01T00:00:00.1234567Z", "2026-01-01T00:00:00+0100", "2026-01-01T00:00Z", "2026-01-01", "1767225600"],
    ],
  },
  {
    types: ["string", "ip", "cidr", "uint64", "uint128", "bytes", "json", "unheard-of"],
    duckdb: "VARCHAR",
    accepted: [
      ...[
        '"',
        '""',
        '"quoted", and more',
        "one\ntwo",
        "one\r\ntwo",
        "one\rtwo",
        "\n",
        " ",
        "\t",
        ",",
        ";",
        "\\N",
        "\\",
      ],
      ...["null", "NULL", "NaN", "0", "00042", "18446744073709551615", "192.0.2.0/24", "2001:DB8::1"],
      ...[
        "Zürich",
        "Zu\u0308rich",
        "網路",
        "עברית",
        "🛰️",
        "👩‍👩‍👧",
        "\u{10ffff}",
        "\u0001",
        "\u00a0",
        "'",
        "x".repeat(100_000),
      ],
    ],
    refused: [],
  },
];

const cases = EDGES.flatMap(({ types, ...edges }) => types.map((type) => ({ type, ...edges })));

describe("A Parquet file, compared with what DuckDB makes of the csv.gz", () => {
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "dbdepot-edges-"));
  });
  afterAll(() => rm(directory, { recursive: true }));

  it.each(cases)("has the values at the edges of $type, and null for an empty cell", async (edges) => {
    const { type, duckdb, accepted } = edges;
    const path = join(directory, `${type}.csv.gz`);
    const output = join(directory, type);
    await mkdir(output);
    const rows = [...accepted, ""].map((cell, index) => [String(index), cell]);
    await writeFile(path, gzipSync([["row", "value"], ...rows].map((cells) => formatCsvRow(cells)).join("")));
    const { files } = await writeTableInThread(
      {
        path,
        columns: [
          { name: "row", type: "uint32" },
          { name: "value", type },
        ],
        directory: output,
        maxFileBytes: 1024 * 1024,
        metadata: {},
      },
      TABLE_LIMITS,
      new AbortController().signal,
    );
    const paths = files.map((file) => file.path);
    expect(await typesOf(paths)).toEqual({ row: "BIGINT", value: duckdb });
    const inCsv = await query(`select row, value::${duckdb}::varchar as value
      from read_csv('${path}', header = true, auto_detect = false, delim = ',', quote = '"', escape = '"', nullstr = '',
      columns = {row: 'VARCHAR', value: 'VARCHAR'}) order by row::integer`);
    expect(inCsv).toHaveLength(rows.length);
    expect(await rowsOf(paths)).toEqual(inCsv.map((row) => [row.row, row.value]));
    expect(inCsv.at(-1)?.value).toBeNull();
  });

  it.each(cases.filter(({ refused }) => refused.length > 0))(
    "refuses values just outside of $type",
    ({ type, refused }) => {
      const [column] = typedColumns(["value"], [{ name: "value", type }]);
      expect(refused.filter((text) => column?.parse(text) !== undefined)).toEqual([]);
    },
  );
});
