import type { Clock } from "../clock.ts";
import type { ObjectStore } from "../objects/store.ts";
import type { Settings } from "../settings.ts";
import type { Operation, Store } from "../store.ts";

export interface OptionSpec {
  help: string;
  /** What the value is called in the help. Without it the option is a flag. */
  value?: string;
  required?: boolean;
}

type Options = Record<string, OptionSpec>;
type OptionValues<O extends Options> = {
  [K in keyof O]: O[K] extends { value: string }
    ? O[K] extends { required: true }
      ? string
      : string | undefined
    : boolean;
};
/** "[FORMAT]" may be left out, "ORG" may not. */
type ArgumentValues<A extends readonly string[]> = {
  [K in keyof A]: A[K] extends `[${string}]` ? string | undefined : string;
};

/** What a command says: for people, or as one JSON document. */
export interface Output {
  json: unknown;
  text: string;
  /** 1: the command did its work, and what it found is not well. */
  exitCode?: number;
}

/** What a command works with. The database and the storage are opened when first asked for. */
export interface Workplace {
  settings: Settings;
  clock: Clock;
  /** Fails with one clear line when the schema is not up to date. */
  store(): Promise<Store>;
  /** Whatever the state of its schema: for `migrate` and `doctor`. */
  rawStore(): Store;
  objects(): Promise<ObjectStore>;
  /** For changes: the store, who is at work, and the time. */
  operation(): Promise<Operation>;
  /** A line for people while the command runs; never part of the JSON document. */
  say(line: string): void;
  /** For commands that go on running: what they have to say, said at once. */
  announce(output: Output): void;
}

export interface Command {
  words: string;
  summary: string;
  arguments: readonly string[];
  options: Options;
  /** Gives nothing when it has announced everything. */
  run(
    workplace: Workplace,
    args: readonly (string | undefined)[],
    options: Record<string, unknown>,
  ): Promise<Output | undefined>;
}

/** Ties the types of arguments and options to what the command declares. */
export function command<const A extends readonly string[], const O extends Options>(spec: {
  words: string;
  summary: string;
  arguments: A;
  options: O;
  run(workplace: Workplace, args: ArgumentValues<A>, options: OptionValues<O>): Promise<Output | undefined>;
}): Command {
  return spec as unknown as Command;
}
