import { stripVTControlCharacters } from "node:util";
import { COLOUR_SEQUENCE } from "./colours.ts";

const NOT_IN_TEXT = /[^\P{Cc}\n\t]/gu;

/** Removes control characters from a value: names, user agents and responses must not control the terminal or add lines. */
export function sanitize(text: string): string {
  return stripVTControlCharacters(text).replace(/\p{Cc}/gu, " ");
}

/** Joins the lines of a message, so that an error is always one line. */
export function oneLine(message: string): string {
  return sanitize(message.trim().replace(/\s*[\r\n]+\s*/g, " "));
}

/**
 * Removes control characters from everything that is printed, so that a hostile service cannot control the terminal through
 * a value that was not sanitized. Line breaks, tabs and our colours stay.
 */
export function printable(text: string): string {
  return text
    .split(COLOUR_SEQUENCE)
    .map((part, index) => (index % 2 === 1 ? part : stripVTControlCharacters(part).replace(NOT_IN_TEXT, " ")))
    .join("");
}

/** JSON escapes most control characters, but not those that some terminals read as the start of a sequence. */
export function printableJson(json: string): string {
  return json.replace(/[\x7f-\x9f]/g, (character) => `\\u00${character.charCodeAt(0).toString(16)}`);
}
