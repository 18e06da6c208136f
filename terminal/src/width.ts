/** East Asian letters and pictures take two columns, marks that join the letter before take none. */
const WIDE =
  /\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{20000}-\u{3fffd}]/u;
const NARROW = /^[\x20-\x7e]*$/;
const letters = new Intl.Segmenter("en", { granularity: "grapheme" });

/** How many columns of a terminal a text takes. It must hold nothing that steers the terminal. */
export function widthOf(text: string): number {
  if (NARROW.test(text)) return text.length;
  let width = 0;
  for (const { segment } of letters.segment(text)) width += letterWidth(segment);
  return width;
}

/** The text, or as much of its beginning as fits with "…" behind it. */
export function cut(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text;
  let kept = "";
  let width = 0;
  for (const { segment } of letters.segment(text)) {
    width += letterWidth(segment);
    if (width > columns - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}

/** With spaces behind it, so many that it takes all columns. */
export function padded(text: string, columns: number): string {
  return text + " ".repeat(Math.max(0, columns - widthOf(text)));
}

function letterWidth(letter: string): number {
  return WIDE.test(letter) ? 2 : 1;
}
