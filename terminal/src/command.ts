export interface OptionSpec {
  help: string;
  /** What the value is called in the help. Without it the option is a flag. */
  value?: string;
  required?: boolean;
}

export type Options = Record<string, OptionSpec>;
type OptionValues<O extends Options> = {
  [K in keyof O]: O[K] extends { value: string }
    ? O[K] extends { required: true }
      ? string
      : string | undefined
    : boolean;
};
/** "ORG" must be given, "[FORMAT]" may be left out, "[ID…]" takes all that come. */
type ArgumentValues<A extends readonly string[]> = {
  [K in keyof A]: A[K] extends `[${string}…]`
    ? readonly string[]
    : A[K] extends `[${string}]`
      ? string | undefined
      : string;
};
export type Argument = string | undefined | readonly string[];

/** What a command says: for people, or as one JSON document. */
export interface Output {
  json: unknown;
  text: string;
  /** 1: the command did its work, and what it found is not well. */
  exitCode?: number;
}

/** Something that can be typed behind a program's name; `W` is what it works with. */
export interface Command<W> {
  words: string;
  summary: string;
  arguments: readonly string[];
  options: Options;
  /** Lines below the options in its help. */
  notes?: readonly string[];
  /** For scripts of ours, not for people: the help does not list it. */
  isHidden?: boolean;
  /** Gives nothing when it has announced everything. */
  run(workplace: W, args: readonly Argument[], options: Record<string, unknown>): Promise<Output | undefined>;
}

/** Makes the `command` function of a program: it ties the types of arguments and options to what is declared. */
export function commandsWith<W>() {
  return function command<const A extends readonly string[], const O extends Options>(
    spec: Omit<Command<W>, "arguments" | "options" | "run"> & {
      arguments: A;
      options: O;
      run(workplace: W, args: ArgumentValues<A>, options: OptionValues<O>): Promise<Output | undefined>;
    },
  ): Command<W> {
    return spec as unknown as Command<W>;
  };
}
