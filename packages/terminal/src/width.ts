/** East Asian characters and emoji take two columns; combining marks are part of their grapheme. */
const WIDE =
  /\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{20000}-\u{3fffd}]/u;
const ASCII = /^[\x20-\x7e]*$/;
const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

/** The width of a text without control characters, in terminal columns. */
export function displayWidth(text: string): number {
  if (ASCII.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemes.segment(text)) width += graphemeWidth(segment);
  return width;
}

/** Shortens a text to fit the columns, ending it with "…". */
export function truncate(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text;
  let kept = "";
  let width = 0;
  for (const { segment } of graphemes.segment(text)) {
    width += graphemeWidth(segment);
    if (width > columns - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}

/** Pads the text with spaces to the given width. */
export function pad(text: string, columns: number): string {
  return text + " ".repeat(Math.max(0, columns - displayWidth(text)));
}

function graphemeWidth(grapheme: string): number {
  return WIDE.test(grapheme) ? 2 : 1;
}
