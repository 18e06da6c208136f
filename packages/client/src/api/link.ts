import { DbdepotError } from "../errors.ts";
import type { Api } from "./api.ts";
import { isSha256, isSize, readBuildId, readChecksums, readPatchOffer } from "./incoming.ts";
import type { Checksums, DatabaseChecksums, Format, PatchOffer } from "./wire.gen.ts";

export interface PinOptions {
  /** The id of a build, from an earlier response (default: the current build). */
  build?: string | undefined;
  signal?: AbortSignal | undefined;
}

export interface FileOptions extends PinOptions {
  /** The sample instead of the full file. It needs no licence. */
  sample?: boolean | undefined;
  /** The SHA-256 of a file that you have, to get a patch from it if there is one. */
  from?: string | undefined;
}

export interface DownloadUrl {
  /** Works for a limited time and without a key, for anyone who has it. */
  url: string;
  sha256: string | null;
  buildId: string | null;
  etag: string | null;
  /** Null if the link is to the whole file. The SHA-256 above is that of the file in any case. */
  patch: Pick<PatchOffer, "sha256" | "size_bytes"> | null;
}

export interface FileChecksums {
  checksums: Checksums;
  etag: string | null;
  buildId: string | null;
  /** Null if there is no patch, or `from` was not given. */
  patch: PatchOffer | null;
  /** Whether the service is making a patch from the file with the digest `from`. */
  isPatchPending: boolean;
}

const DOWNLOAD = "/api/v2/database/download";

export async function downloadUrl(api: Api, id: string, format: Format, o: FileOptions = {}): Promise<DownloadUrl> {
  const response = await api.call({ ...downloadRequest(id, format, o), signal: o.signal, expects: [302] });
  const location = response.header("location");
  if (location === null || !/^https?:\/\//.test(location)) {
    throw new DbdepotError("server", "the service's redirect has no usable Location", { status: 302 });
  }
  return {
    url: location,
    sha256: reprSha256(response.header("repr-digest")),
    buildId: readBuildId(response.header("x-build-id")),
    etag: response.header("etag"),
    patch: o.from === undefined || response.header("x-patch-from") !== o.from ? null : patchOf(response),
  };
}

/** A patch that the service does not describe completely cannot be verified, so the link is useless. */
function patchOf(response: { header(name: string): string | null }): DownloadUrl["patch"] {
  const sha256 = response.header("x-patch-sha256");
  const sizeBytes = Number(response.header("x-patch-size") ?? Number.NaN);
  if (!isSha256(sha256) || !isSize(sizeBytes))
    throw new DbdepotError("server", "the service's patch has no digest or size");
  return { sha256, size_bytes: sizeBytes };
}

/** A request for a link to the file. */
export function downloadRequest(id: string, format: Format, o: FileOptions = {}) {
  return { path: DOWNLOAD, query: fileQuery(id, format, o) };
}

/** A request for the file itself, sent by the service instead of the object storage. */
export function streamRequest(id: string, format: Format, o: FileOptions) {
  return { path: DOWNLOAD, query: { ...fileQuery(id, format, o), delivery: "stream" } };
}

function fileQuery(id: string, format: Format, { build, sample, from }: FileOptions) {
  return { id, format, build, sample: sample ? "true" : undefined, from };
}

export async function checksums(api: Api, id: string, format: Format, o: FileOptions = {}): Promise<FileChecksums> {
  const query = fileQuery(id, format, o);
  const response = await api.call({ path: "/api/v2/database/checksum", query, signal: o.signal });
  const document = response.json<DatabaseChecksums>();
  return {
    checksums: readChecksums(document),
    etag: response.header("etag"),
    buildId: readBuildId(response.header("x-build-id")),
    patch: readPatchOffer(document, o.from),
    isPatchPending: document.patch_pending === true,
  };
}

/** Reads `sha-256=:<base64>:` from Repr-Digest (RFC 9530) and returns it in hex, like the checksums. */
function reprSha256(header: string | null): string | null {
  const base64 = /(?:^|[\s,])sha-256=:([A-Za-z0-9+/]{43}=):/i.exec(header ?? "")?.[1];
  if (base64 === undefined) return null;
  return Array.from(atob(base64), (character) => character.charCodeAt(0).toString(16).padStart(2, "0")).join("");
}
