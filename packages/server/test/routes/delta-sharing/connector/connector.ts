import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { buffer, json, text } from "node:stream/consumers";
import { start } from "../../../../../../rigs/harness/processes.ts";
import { programEnvironment } from "../../../../../../rigs/harness/program-environment.ts";
import type { Customer } from "../../../../../../rigs/harness/service/customer.ts";
import { rowsOf, typesOf } from "../../../domain/sharing/duckdb.ts";

export interface Call {
  name: string;
  arguments: Record<string, string | number>;
}

export interface Outcome {
  result?: unknown;
  error?: string;
}

/** The official Python connector of Delta Sharing, from its source. */
export class Connector {
  readonly #source: string;
  readonly #directory: string;
  /** Reads Parquet files for the stand-in of pyarrow. */
  readonly #reader = createServer(async (request, response) => {
    const path = join(this.#directory, "read.parquet");
    try {
      await writeFile(path, await buffer(request));
      response.end(JSON.stringify({ types: await typesOf([path]), rows: await rowsOf([path]) }));
    } catch (error) {
      response.writeHead(500).end(String(error));
    }
  });

  private constructor(source: string, directory: string) {
    this.#source = source;
    this.#directory = directory;
  }

  static async open(source: string): Promise<Connector> {
    const connector = new Connector(source, await mkdtemp(join(tmpdir(), "dbdepot-connector-")));
    await once(connector.#reader.listen(0, "127.0.0.1"), "listening");
    return connector;
  }

  async close(): Promise<void> {
    this.#reader.close();
    await rm(this.#directory, { recursive: true });
  }

  /** Writes a profile file, and returns its path. */
  async profileOf({ apiUrl, key }: Customer): Promise<string> {
    const path = join(this.#directory, "config.share");
    const profile = { shareCredentialsVersion: 1, endpoint: `${apiUrl}/delta-sharing`, bearerToken: key };
    await writeFile(path, JSON.stringify(profile));
    return path;
  }

  /** Makes the calls one after the other, in a process of their own. */
  async call(calls: readonly Call[]): Promise<{ versions: Record<string, string>; results: Outcome[] }> {
    const { port } = this.#reader.address() as AddressInfo;
    const path = (name: string) => join(import.meta.dirname, name);
    const child = start(
      process.env.DBDEPOT_TEST_PYTHON ?? "python3",
      ["-B", path("read.py"), path("stand-in"), this.#source],
      {
        env: { ...programEnvironment(), DUCKDB_URL: `http://127.0.0.1:${port}` },
        stdio: ["pipe", "pipe", "pipe"],
      },
    );
    child.stdin?.end(JSON.stringify(calls));
    const errors = text(child.stderr as Readable);
    try {
      return (await json(child.stdout as Readable)) as Awaited<ReturnType<Connector["call"]>>;
    } catch {
      throw new Error(await errors);
    }
  }
}
