import { type CsvFormat, formatCsvRow } from "@dbdepot/formats/csv/write";

export type Cell = string | number | boolean | null;

/** Quotes semicolons and outer spaces too, because spreadsheets of some locales split at a semicolon. */
const SPREADSHEET: CsvFormat = { lineEnd: "\r\n", needsQuotes: /[",;]|^\s|\s$/ };
/** Spreadsheets treat such a cell as a formula; some ignore leading white space or accept full-width signs. */
const FORMULA = /^(\s*)([=+\-@＝＋－＠])/u;
/** Where a spreadsheet that splits at semicolons would find a formula. */
const FORMULA_AFTER_SEMICOLON = /(;\s*)([=+\-@＝＋－＠])/gu;

/** Formats a row of CSV that is safe to open in a spreadsheet. */
export function csvLine(cells: readonly Cell[]): string {
  return formatCsvRow(
    cells.map((cell) => (typeof cell === "string" ? escapeFormulas(cell) : String(cell ?? ""))),
    SPREADSHEET,
  );
}

/** Cells contain text from strangers, such as a user agent. An apostrophe keeps a formula from being evaluated. */
function escapeFormulas(text: string): string {
  return text
    .replace(/\p{Cc}/gu, " ")
    .replace(FORMULA, "$1'$2")
    .replace(FORMULA_AFTER_SEMICOLON, "$1'$2");
}
