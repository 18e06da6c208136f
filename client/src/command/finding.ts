import type { Colours } from "@dbdepot/terminal/colours";
import { harmless } from "@dbdepot/terminal/table";
import { wrapped } from "@dbdepot/terminal/wrapped";

/** What was looked at, and what came out. */
export interface Finding {
  name: string;
  verdict: "ok" | "note" | "FAIL";
  detail: string;
}

const MARK_WIDTH = "FAIL  ".length;

/** One verdict a line. */
export function findingLines(
  findings: readonly Finding[],
  { colours, outColumns }: { colours: Colours; outColumns: number | undefined },
): string {
  const paints = { ok: colours.good, note: colours.doubtful, FAIL: colours.bad };
  const room = outColumns === undefined ? undefined : Math.max(20, outColumns - MARK_WIDTH);
  return findings
    .flatMap(({ name, verdict, detail }) =>
      wrapped(harmless(`${name}: ${detail}`), room).map((line, i) => {
        const mark = i === 0 ? verdict : "";
        return `${mark && paints[verdict](mark)}${" ".repeat(MARK_WIDTH - mark.length)}${line}\n`;
      }),
    )
    .join("");
}
