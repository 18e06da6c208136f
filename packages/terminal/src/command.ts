import { wrap } from "./wrap.ts";

/** The only file that imports commander, so that both programs use the same version. */
export {
  Argument,
  Command,
  CommanderError,
  type CommandUnknownOpts,
  Help,
  InvalidArgumentError,
  Option,
} from "@commander-js/extra-typings";

/** The output of a command: text for people, or one JSON document with --json. */
export interface Result {
  json: unknown;
  text: string;
  /** Set to non-zero if the command ran but found a problem. */
  exitCode?: number;
}

/** A usage error that only the command itself can detect, such as two options that exclude each other. */
export class UsageError extends Error {}

const NOTES_COLUMNS = 80;

/** A paragraph below the options in a command's help. */
export function note(text: string): string {
  return ["", ...wrap(text, NOTES_COLUMNS)].join("\n");
}

/** The "Examples:" section at the end of a command's help. */
export function examples(...lines: string[]): string {
  return ["", "Examples:", ...lines.map((line) => `  ${line}`)].join("\n");
}
