import { displayWidth } from "./width.ts";

/**
 * Breaks a text between words into lines of at most `columns`; one line if `columns` is undefined.
 * A word longer than a line is kept whole, because it may be an address to copy.
 */
export function wrap(text: string, columns: number | undefined): string[] {
  if (columns === undefined || displayWidth(text) <= columns) return [text];
  const lines: string[] = [];
  let line = "";
  for (const word of text.trim().split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (line !== "" && displayWidth(longer) > columns) {
      lines.push(line);
      line = word;
    } else {
      line = longer;
    }
  }
  return [...lines, line];
}
