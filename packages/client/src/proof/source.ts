import type { Api } from "../api/api.ts";
import type { SigningKeys } from "../api/wire.gen.ts";
import { DbdepotError } from "../errors.ts";
import { readSignedManifest, readSigningKeys } from "./documents.ts";
import { type FreshnessResponse, readFreshness } from "./freshness.ts";

export interface ManifestRequest {
  /** The newest manifest about this build (default: the newest of all). */
  build?: string | undefined;
  sequence?: number | undefined;
  signal?: AbortSignal | undefined;
}

export interface SignedText {
  manifest: string;
  signature: string;
}

/** Other implementations of the interface have no such URL. */
const UNSIGNED_CODES = [null, "NOT_SIGNED", "NOT_FOUND"];

/** Returns undefined if the service does not sign its builds. */
export async function fetchManifest(
  api: Api,
  id: string,
  { build, sequence, signal }: ManifestRequest,
): Promise<SignedText | undefined> {
  try {
    const response = await api.call({ path: "/api/v2/database/manifest", query: { id, build, sequence }, signal });
    return readSignedManifest(response.json());
  } catch (error) {
    if (isUnsigned(error)) return undefined;
    throw error;
  }
}

/** Returns undefined if the service issues no statements of freshness. */
export async function fetchFreshness(
  api: Api,
  id: string,
  signal: AbortSignal | undefined,
): Promise<FreshnessResponse | undefined> {
  try {
    const response = await api.call({ path: "/api/v2/database/freshness", query: { id }, signal });
    const time = Date.parse(response.header("date") ?? "");
    return { text: readFreshness(response.json()), serviceTime: Number.isNaN(time) ? undefined : new Date(time) };
  } catch (error) {
    if (isUnsigned(error)) return undefined;
    throw error;
  }
}

export async function fetchSigningKeys(api: Api, signal: AbortSignal | undefined): Promise<SigningKeys["keys"]> {
  try {
    return readSigningKeys((await api.call({ path: "/.well-known/dbdepot-keys.json", signal })).json());
  } catch (error) {
    if (isUnsigned(error)) return [];
    throw error;
  }
}

function isUnsigned(error: unknown): boolean {
  return error instanceof DbdepotError && error.kind === "not_found" && UNSIGNED_CODES.includes(error.rc);
}
