import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect } from "vitest";
import { main } from "../../src/main.ts";
import type { OpenedStore, TestEngine } from "../engines.ts";

export interface Answer {
  exitCode: number;
  out: string;
  err: string;
}

/** Where the operator types. */
export interface Terminal {
  environment: Record<string, string>;
  opened: OpenedStore;
  /** `terminal.run("orgs", "add", "Acme")` */
  run(...argv: string[]): Promise<Answer>;
  /** Runs it with `--json`, and gives the one document that it prints. */
  json<T = unknown>(...argv: string[]): Promise<T>;
}

/** A terminal on an empty database, for all tests of the `describe` around the call. */
export function terminalOn(engine: TestEngine): Terminal {
  const terminal = {} as Terminal;
  let dispose: () => Promise<void>;
  beforeAll(async () => {
    const opened = await engine.openEmpty();
    const { address } = opened;
    const folder = await mkdtemp(join(tmpdir(), "dbdepot-test-"));
    const environment = {
      DBDEPOT_DATA_DIR: folder,
      DBDEPOT_DATABASE_URL: address.engine === "sqlite" ? `sqlite:${address.path}` : address.url,
    };
    dispose = async () => {
      await opened.dispose();
      await rm(folder, { recursive: true });
    };
    const run = (...argv: string[]) => answerTo(argv, environment);
    const json = async (...argv: string[]) => {
      const { exitCode, out, err } = await run(...argv, "--json");
      expect({ exitCode, err }).toEqual({ exitCode: 0, err: "" });
      return JSON.parse(out);
    };
    Object.assign(terminal, { environment, opened, run, json });
  });
  afterAll(() => dispose());
  return terminal;
}

/** Runs the command in this process, on a terminal of that width if one is given. */
export async function answerTo(argv: string[], environment: Record<string, string>, columns?: number): Promise<Answer> {
  const answer = { exitCode: 0, out: "", err: "" };
  answer.exitCode = await main(argv, {
    env: environment,
    writeOut: (text) => {
      answer.out += text;
    },
    writeErr: (text) => {
      answer.err += text;
    },
    outColumns: columns,
    errColumns: columns,
  });
  return answer;
}
