import { createHash } from "node:crypto";
import type { Checksums, Digest } from "@dbdepot/contract/checksums";
import type { Format } from "@dbdepot/contract/formats";
import { MmdbShape } from "@dbdepot/mmdb/shape";
import { CsvgzCheck } from "./csvgz-check.ts";
import type { FileReport } from "./report.ts";

/** Reads a file chunk by chunk and computes one result from it. */
interface Check<T> {
  /** The caller may reuse the chunk's memory afterwards. */
  write(chunk: Buffer): void | Promise<void>;
  end(): T | Promise<T>;
}

/** A digest, or the check of a format. */
export type CheckName = Digest | Format;
export type CheckResults = Checksums & Record<Format, FileReport>;

/** Several checks that read the same file, one after the other. */
export class Checks {
  readonly #checks: { name: CheckName; check: Check<unknown> }[];

  constructor(names: readonly CheckName[]) {
    this.#checks = names.map((name) => ({ name, check: createCheck(name) }));
  }

  async write(chunk: Buffer): Promise<void> {
    for (const { check } of this.#checks) await check.write(chunk);
  }

  async end(): Promise<Partial<CheckResults>> {
    const results: [CheckName, unknown][] = [];
    for (const { name, check } of this.#checks) results.push([name, await check.end()]);
    return Object.fromEntries(results);
  }
}

function createCheck(name: CheckName): Check<string | FileReport> {
  if (name === "csvgz") return new CsvgzCheck();
  return name === "mmdb" ? mmdbCheck() : digestCheck(name);
}

function mmdbCheck(): Check<FileReport> {
  const mmdb = new MmdbShape();
  return { write: (chunk) => mmdb.take(chunk), end: () => mmdb.end() };
}

function digestCheck(name: Digest): Check<string> {
  const hash = createHash(name);
  return {
    write: (chunk) => void hash.update(chunk),
    end: () => hash.digest("hex"),
  };
}
