import { stat } from "node:fs/promises";
import type { ByFormat } from "@dbdepot/contract/formats";
import { FORMATS } from "@dbdepot/contract/formats";
import type { PublishedBuild } from "@dbdepot/contract/operator-answers";
import { inBytes } from "@dbdepot/terminal/amounts";
import { Progress } from "@dbdepot/terminal/progress";
import { openLocalFiles, readDocumentFile } from "../builds/local-files.ts";
import { invalid } from "../faults.ts";
import { PlainKey } from "../keys/secret.ts";
import { RemoteDepot } from "../remote/depot.ts";
import { publishRemotely } from "../remote/publish.ts";

/** Where the key is looked for when `--key` is left out: it then stands in no list of processes. */
const KEY_VARIABLE = "DBDEPOT_API_KEY";

export interface RemoteOptions {
  server: string;
  key: string | undefined;
  metadata: string;
  csvgz: string | undefined;
  mmdb: string | undefined;
  force: boolean;
  keep: number | undefined;
  say(line: string): void;
}

/** `builds publish --server`: the same, on another machine's dbdepot. */
export async function publishOverHttp(versionId: string, options: RemoteOptions): Promise<PublishedBuild> {
  const { metadata, csvgz, mmdb, force, keep, say } = options;
  const depot = new RemoteDepot(requireOrigin(options.server), requireKey(options.key));
  const { totalBytes } = await openLocalFiles({ metadata, csvgz, mmdb });
  const progress = new Progress({ label: `publishing ${versionId}`, total: totalBytes, unit: inBytes, say });
  try {
    return await publishRemotely(depot, {
      versionId,
      document: await readDocumentFile(metadata),
      files: await withSizes({ csvgz, mmdb }),
      force,
      keep,
      onBytes: (count) => progress.advance(count),
    });
  } finally {
    progress.end();
  }
}

async function withSizes(paths: { csvgz: string | undefined; mmdb: string | undefined }) {
  const files: ByFormat<{ path: string; sizeBytes: number }> = {};
  for (const format of FORMATS) {
    const path = paths[format];
    if (path === undefined) continue;
    const found = await stat(path);
    // The other side wants to know its length, and to be sent the rest if it breaks off.
    if (!found.isFile()) throw invalid(`--${format}: ${path} is no regular file, and only those can be sent`);
    files[format] = { path, sizeBytes: found.size };
  }
  return files;
}

function requireOrigin(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol))
    throw invalid(`--server: "${text}" is no address like https://depot.example`);
  return url;
}

function requireKey(text = process.env[KEY_VARIABLE]): PlainKey {
  if (text === undefined)
    throw invalid(`--server needs a key with the scope builds.publish: --key, or ${KEY_VARIABLE}`);
  const key = PlainKey.parse(text.trim());
  if (!key) throw invalid("--key: this is no key, or it is mistyped");
  return key;
}
