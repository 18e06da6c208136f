/** A Markdown table, for the terminal and the docs. */
export function markdownTable(header: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  return [header, header.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |\n`).join("");
}
