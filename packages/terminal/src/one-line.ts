import { sanitize } from "./control-characters.ts";

/** Joins the lines of a message, so that an error is always one line. */
export function oneLine(message: string): string {
  return sanitize(message.trim().replace(/\s*[\r\n]+\s*/g, " "));
}
