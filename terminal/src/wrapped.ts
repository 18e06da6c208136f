import { widthOf } from "./width.ts";

/**
 * Text in lines of at most so many columns, broken between words; one line where there is no width to keep to.
 * A word that is longer than a line stays whole: it may be an address to copy.
 */
export function wrapped(text: string, columns: number | undefined, indent = ""): string[] {
  if (columns === undefined || widthOf(text) <= columns) return [text];
  const lines: string[] = [];
  let line = /^ */.exec(text)?.[0] ?? "";
  for (const word of text.trim().split(" ")) {
    const longer = line.trim() === "" ? line + word : `${line} ${word}`;
    if (line.trim() !== "" && widthOf(longer) > columns) {
      lines.push(line);
      line = indent + word;
    } else {
      line = longer;
    }
  }
  return [...lines, line];
}
