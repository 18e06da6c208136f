type Cell = string | number | null;

/** A line of CSV as RFC 4180 has it: quoted where needed, ended by CR LF. */
export function csvLine(cells: readonly Cell[]): string {
  return `${cells.map((cell) => (typeof cell === "string" ? quoted(harmless(cell)) : (cell ?? ""))).join(",")}\r\n`;
}

/** Where a spreadsheet takes a cell for a formula; some look behind leading white space, and at full-width signs. */
const FORMULA = /^(\s*)([=+\-@＝＋－＠])/u;
/** Where one of another country begins a new cell, whatever the quotes say. */
const INNER_FORMULA = /(;\s*)([=+\-@＝＋－＠])/gu;

/**
 * Text that strangers sent (an id, a user agent) must not do anything when somebody opens the file: an apostrophe
 * before what would be a formula keeps it text, and a control character, which could begin a line, becomes a space.
 */
function harmless(text: string): string {
  return text
    .replace(/\p{Cc}/gu, " ")
    .replace(FORMULA, "$1'$2")
    .replace(INNER_FORMULA, "$1'$2");
}

function quoted(text: string): string {
  return /[",;]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
