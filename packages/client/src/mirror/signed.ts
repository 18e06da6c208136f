import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { FreshnessText } from "@dbdepot/contract/v2/freshness-proof";
import type { Manifest } from "../api/wire.gen.ts";
import { parseManifest, readSignedManifest } from "../proof/documents.ts";
import type { SignedText } from "../proof/source.ts";
import * as layout from "./layout.ts";

/** The content of `signed.json`. Mirrors made before statements of freshness have none. */
export interface MirroredText extends SignedText {
  freshness?: FreshnessText;
}

/** The newest manifest that the mirror in a directory has. */
export async function mirroredManifest(directory: string, id: string): Promise<Manifest | undefined> {
  const signed = await readSigned(join(directory, layout.signedPath(id)));
  return signed && parseManifest(signed.manifest);
}

/** Undefined if the file does not exist or is damaged. */
export async function readSigned(path: string): Promise<SignedText | undefined> {
  try {
    return readSignedManifest(JSON.parse(await readFile(path, "utf8")));
  } catch (error) {
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
