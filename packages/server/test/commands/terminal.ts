import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect } from "vitest";
import type { OpenedStore, TestEngine } from "../../../../rigs/harness/service/engines.ts";
import { main } from "../../src/main.ts";

export interface CommandResult {
  exitCode: number;
  out: string;
  err: string;
}

/** Runs commands as an operator would. */
export interface Terminal {
  environment: Record<string, string>;
  opened: OpenedStore;
  /** `terminal.run("orgs", "add", "Acme")` */
  run(...argv: string[]): Promise<CommandResult>;
  /** Runs a command with `--json`, expects success, and returns the document it prints. */
  json<T = unknown>(...argv: string[]): Promise<T>;
}

/** Opens a terminal on an empty database for all tests of the surrounding `describe`. */
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
      // Another server may use the default ports.
      DBDEPOT_PORT: "0",
      DBDEPOT_OBJECTS_PORT: "0",
      DBDEPOT_METRICS_PORT: "off",
    };
    dispose = async () => {
      await opened.dispose();
      await rm(folder, { recursive: true });
    };
    const run = (...argv: string[]) => runCommand(argv, environment);
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

/** Runs the command in this process, on a terminal of the given width (default: no terminal). */
export async function runCommand(
  argv: string[],
  environment: Record<string, string>,
  columns?: number,
): Promise<CommandResult> {
  const result = { exitCode: 0, out: "", err: "" };
  result.exitCode = await main(argv, {
    env: environment,
    writeOut: (text) => {
      result.out += text;
    },
    writeErr: (text) => {
      result.err += text;
    },
    outColumns: columns,
    errColumns: columns,
  });
  return result;
}
