import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import subsetFont from "subset-font";
import type { Plugin } from "vite";

const INTER = createRequire(import.meta.url).resolve("@fontsource-variable/inter/files/inter-latin-wght-normal.woff2");
/** Unicode ranges of printable ASCII, and of what else the console itself writes. */
const RANGES = ["20-7E", "B7", "D7", "2013-2014", "2018-2019", "201C-201D", "2022", "2026", "2192", "2212"];

/**
 * Adds a font with the characters that almost every page consists of, in the weights of the console, which is less than
 * half as large. Browsers load the whole one only if a page has other characters.
 */
export function interSubset(): Plugin {
  let file = "";
  return {
    name: "inter-subset",
    apply: "build",
    async generateBundle() {
      const font = await subsetFont(await readFile(INTER), charactersOf(RANGES), {
        targetFormat: "woff2",
        variationAxes: { wght: { min: 400, max: 700 } },
      });
      file = this.getFileName(this.emitFile({ type: "asset", name: "inter-basic.woff2", source: font }));
    },
    transformIndexHtml: {
      order: "post",
      handler: () => [
        {
          tag: "style",
          // The last of several fonts of a family is the one that is used for a character.
          children: `@font-face{font-family:"Inter Variable";font-display:swap;font-weight:400 700;src:url(/console/${file}) format("woff2-variations");unicode-range:${RANGES.map((range) => `U+${range}`)}}`,
          injectTo: "head",
        },
      ],
    },
  };
}

function charactersOf(ranges: readonly string[]): string {
  return ranges
    .flatMap((range) => {
      const [first = 0, last = first] = range.split("-").map((code) => Number.parseInt(code, 16));
      return Array.from({ length: last - first + 1 }, (_, index) => String.fromCodePoint(first + index));
    })
    .join("");
}
