import { parseArgs } from "node:util";

export interface Options {
  /** Rows, or the first words of rows; none: all. */
  names: string[];
  rounds: number;
  /** A smoke run: does everything work? Its figures mean nothing. */
  quick: boolean;
  out: string | undefined;
  writeDocs: boolean;
  /** Figures of an earlier run: nothing is measured. */
  from: string | undefined;
  /** Where the growth data lies, and stays for the next run. Left out: it is made for this run. */
  data: string | undefined;
  /** Where every service leaves a CPU profile. */
  profile: string | undefined;
}

export const USAGE = `npm run bench -- [ROW ...] [options]

  ROW              only these rows; "stream" stands for all whose name begins with "stream-"
  --list           say which rows there are
  --rounds N       how often anchor and service take turns (5)
  --quick          a smoke run of one short round on small data: its figures mean nothing
  --out FILE       where the figures go (bench/results/<time>.json)
  --write-docs     put the figures into docs/performance.md
  --from FILE      measure nothing: show, and with --write-docs write, the figures of an earlier run
  --data FOLDER    keep the data of the growth rows there, and use what is there already
  --profile FOLDER have every service write a CPU profile there
`;

const DEFAULT_ROUNDS = 5;

export type Wish = { wants: "help" } | { wants: "list" } | { wants: "run"; options: Options };

/** Throws what is wrong with the arguments. */
export function parseOptions(argv: readonly string[]): Wish {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      help: { type: "boolean" },
      list: { type: "boolean" },
      rounds: { type: "string" },
      quick: { type: "boolean", default: false },
      out: { type: "string" },
      "write-docs": { type: "boolean", default: false },
      from: { type: "string" },
      data: { type: "string" },
      profile: { type: "string" },
    },
  });
  if (values.help) return { wants: "help" };
  if (values.list) return { wants: "list" };
  const { quick, out, from, data, profile, rounds = String(quick ? 1 : DEFAULT_ROUNDS) } = values;
  if (!/^[1-9]\d?$/.test(rounds)) throw new Error(`--rounds: "${rounds}" is no number from 1 to 99`);
  return {
    wants: "run",
    options: {
      names: positionals,
      rounds: Number(rounds),
      quick,
      out,
      writeDocs: values["write-docs"],
      from,
      data,
      profile,
    },
  };
}
