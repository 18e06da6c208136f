import { sanitize } from "./control-characters.ts";
import type { Output } from "./output.ts";
import { wrap } from "./wrap.ts";

/** The result of one check. */
export interface Finding {
  name: string;
  verdict: "ok" | "note" | "FAIL";
  detail: string;
}

const MARK_WIDTH = "FAIL  ".length;

/** One check per line. */
export function findingLines(findings: readonly Finding[], { colours, columns }: Output): string {
  const paints = { ok: colours.green, note: colours.yellow, FAIL: colours.red };
  const room = columns === undefined ? undefined : Math.max(20, columns - MARK_WIDTH);
  return findings
    .flatMap(({ name, verdict, detail }) =>
      wrap(sanitize(`${name}: ${detail}`), room).map((line, i) => {
        const mark = i === 0 ? verdict : "";
        return `${mark && paints[verdict](mark)}${" ".repeat(MARK_WIDTH - mark.length)}${line}\n`;
      }),
    )
    .join("");
}
