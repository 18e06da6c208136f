import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT, sourceFiles } from "../../../../rigs/harness/source-files.ts";

export interface Page {
  /** Its path in the repository. */
  path: string;
  text: string;
  blocks: Block[];
}

/** A fenced block of code. */
interface Block {
  line: number;
  /** The text after the fence, such as "sh" or "sh slow". */
  info: string;
  code: string;
}

/** Every Markdown page of the repository. */
export const PAGES: Page[] = sourceFiles(["**/*.md"]).map((path) => {
  const text = readFileSync(join(ROOT, path), "utf8");
  return { path, text, blocks: blocksOf(text) };
});

function blocksOf(text: string): Block[] {
  return [...text.matchAll(/^( *)(```+|~~~+)([^\n]*)\n(.*?)^\1\2$/gms)].map((match) => {
    const [, indent = "", , info = "", code = ""] = match;
    return {
      line: text.slice(0, match.index).split("\n").length,
      info: info.trim(),
      code: code.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
    };
  });
}
