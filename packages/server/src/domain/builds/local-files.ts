import { constants, createReadStream } from "node:fs";
import { access, open, stat } from "node:fs/promises";
import { type ByFileKind, FILE_KINDS } from "@dbdepot/contract/shared/formats";
import { explainFileError } from "../../platform/runtime/file-errors.ts";
import { DOCUMENT_MAX_BYTES } from "./document.ts";
import { BuildRefused } from "./refusal.ts";

const CHUNK_BYTES = 256 * 1024;

export interface LocalFiles {
  sources: ByFileKind<AsyncIterable<Buffer>>;
  /** Undefined if one of them is not a regular file, such as a pipe. */
  totalBytes: number | undefined;
}

/** Opens local files for publishing. Throws BuildRefused with every file that cannot be read. */
export async function openLocalFiles(
  paths: { metadata: string } & ByFileKind<string | undefined>,
): Promise<LocalFiles> {
  const faults: string[] = [];
  const files: LocalFiles = { sources: {}, totalBytes: 0 };
  for (const name of ["metadata", ...FILE_KINDS] as const) {
    const path = paths[name];
    if (path === undefined) continue;
    const found = await findFile(path);
    if ("fault" in found) faults.push(`${optionOf(name)}: ${found.fault}`);
    else if (name !== "metadata") {
      files.sources[name] = read(path);
      files.totalBytes = sum(files.totalBytes, found.sizeBytes);
    }
  }
  if (faults.length > 0) throw new BuildRefused("faulty", faults);
  return files;
}

/** The command line option that names a file. */
export function optionOf(name: string): string {
  return `--${name.replace("_", "-")}`;
}

/** Reads at most one byte more than a valid document has. */
export async function readDocumentFile(path: string): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(createReadStream(path, { end: DOCUMENT_MAX_BYTES })));
}

/** Does not open the file, because a pipe can be opened only once. */
async function findFile(path: string): Promise<{ sizeBytes: number | undefined } | { fault: string }> {
  try {
    const found = await stat(path);
    if (found.isDirectory()) return { fault: `${path}: this is a directory, not a file` };
    await access(path, constants.R_OK);
    return { sizeBytes: found.isFile() ? found.size : undefined };
  } catch (error) {
    return { fault: explainFileError(error) ?? `${path}: ${(error as Error).message}` };
  }
}

/** Reuses one buffer, because new ones would pile up until they are garbage-collected. */
async function* read(path: string): AsyncGenerator<Buffer> {
  await using handle = await open(path);
  const buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES);
  for (;;) {
    const { bytesRead } = await handle.read(buffer);
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
  }
}

function sum(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? undefined : one + other;
}
