import { stat } from "node:fs/promises";
import type { BuildCheck } from "@dbdepot/contract/operator/build-check";
import type { PublishedBuild } from "@dbdepot/contract/operator/builds";
import { type ByFileKind, FILE_KINDS } from "@dbdepot/contract/shared/formats";
import type { Output } from "@dbdepot/terminal/output";
import { PlainKey } from "../domain/access/secret.ts";
import { openLocalFiles, optionOf, readDocumentFile } from "../domain/builds/local-files.ts";
import { invalid } from "../platform/primitives/faults.ts";
import { RemoteDepot } from "./remote/depot.ts";
import { checkRemotely, publishRemotely, type RemotePublication } from "./remote/publish.ts";

/** Used if `--key` is not given. Unlike an option, it does not show up in the process list. */
const KEY_VARIABLE = "DBDEPOT_CLIENT_KEY";
/** The name that earlier versions used. */
const OLD_KEY_VARIABLE = "DBDEPOT_API_KEY";

export interface RemoteOptions {
  server: string;
  key: string | undefined;
  metadata: string;
  files: ByFileKind<string | undefined>;
  recompress: boolean | undefined;
  force: boolean;
  keep: number | undefined;
  output: Output;
  signal: AbortSignal;
}

/** `builds publish --server`: publishes through the operator API of another server. */
export function publishOverHttp(versionId: string, options: RemoteOptions): Promise<PublishedBuild> {
  return upload(versionId, options, publishRemotely);
}

/** `builds publish --server --dry-run`. */
export function checkOverHttp(versionId: string, options: RemoteOptions): Promise<BuildCheck> {
  return upload(versionId, options, checkRemotely);
}

async function upload<T>(
  versionId: string,
  options: RemoteOptions,
  send: (depot: RemoteDepot, publication: RemotePublication) => Promise<T>,
): Promise<T> {
  const { metadata, files, recompress, force, keep, output, signal } = options;
  const depot = new RemoteDepot(requireOrigin(options.server), requireKey(options.key));
  const { totalBytes } = await openLocalFiles({ metadata, ...files });
  const task = output.progress().begin(`publishing ${versionId}`, { total: totalBytes });
  try {
    return await send(depot, {
      versionId,
      document: await readDocumentFile(metadata),
      files: await withSizes(files),
      recompress,
      force,
      keep,
      onBytes: (count) => task.advance(count),
      signal,
    });
  } finally {
    task.end();
  }
}

async function withSizes(paths: ByFileKind<string | undefined>) {
  const files: ByFileKind<{ path: string; sizeBytes: number }> = {};
  for (const kind of FILE_KINDS) {
    const path = paths[kind];
    if (path === undefined) continue;
    const found = await stat(path);
    // The upload needs the length in advance, and must be able to resume.
    if (!found.isFile()) throw invalid(`${optionOf(kind)}: ${path} is not a regular file; only those can be uploaded`);
    files[kind] = { path, sizeBytes: found.size };
  }
  return files;
}

function requireOrigin(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol))
    throw invalid(`--server: "${text}" is not an address like https://depot.example`);
  return url;
}

function requireKey(text = process.env[KEY_VARIABLE] || process.env[OLD_KEY_VARIABLE]): PlainKey {
  if (!text) throw invalid(`--server needs a key with the scope builds.publish: --key, or ${KEY_VARIABLE}`);
  const key = PlainKey.parse(text.trim());
  if (!key) throw invalid("--key: malformed key");
  return key;
}
