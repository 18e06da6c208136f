import { CsvParser, type CsvParserOptions } from "./parser.ts";
import type { CsvRow } from "./row.ts";

/** Reads rows from a stream. Yields the rows of a chunk together, because an async step per row is slow. */
export async function* readCsv(
  source: AsyncIterable<Buffer>,
  options: CsvParserOptions = {},
): AsyncGenerator<Iterable<CsvRow>> {
  const parser = new CsvParser(options);
  for await (const chunk of source) yield parser.push(chunk);
  yield parser.end();
}

/** Reads a row that is a single line. */
export function parseCsvLine(line: string): string[] {
  const parser = new CsvParser();
  const [row] = [...parser.push(Buffer.from(line)), ...parser.end()];
  return row?.cells() ?? [];
}
