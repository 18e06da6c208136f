import { DbdepotError } from "./errors.ts";
import type { Api } from "./request.ts";
import type { Checksums, DatabaseChecksums, Format } from "./wire.ts";

export interface PinOptions {
  /** The build to get, by the id that an earlier answer gave; left out: the current one. */
  build?: string | undefined;
  signal?: AbortSignal | undefined;
}

export interface DownloadUrl {
  /** Works for a while, with no key. Whoever has it can fetch the file. */
  url: string;
  sha256: string | null;
  buildId: string | null;
  etag: string | null;
}

const DOWNLOAD = "/api/v2/database/download";

export async function downloadUrl(api: Api, id: string, format: Format, o: PinOptions = {}): Promise<DownloadUrl> {
  const query = { id, format, build: o.build };
  const answer = await api.call({ path: DOWNLOAD, query, signal: o.signal, expects: [302] });
  const location = answer.header("location");
  if (location === null || !/^https?:\/\//.test(location)) {
    throw new DbdepotError("server", "the service's redirect leads nowhere", { status: 302 });
  }
  return {
    url: location,
    sha256: reprSha256(answer.header("repr-digest")),
    buildId: answer.header("x-build-id"),
    etag: answer.header("etag"),
  };
}

/** The address at which the service sends the file itself, to those who have a key. */
export function streamRequest(id: string, format: Format, build: string | undefined) {
  return { path: DOWNLOAD, query: { id, format, build, delivery: "stream" } };
}

export async function checksums(
  api: Api,
  id: string,
  format: Format,
  o: PinOptions = {},
): Promise<{ checksums: Checksums; etag: string | null; buildId: string | null }> {
  const query = { id, format, build: o.build };
  const answer = await api.call({ path: "/api/v2/database/checksum", query, signal: o.signal });
  const found = answer.json<DatabaseChecksums>().checksums;
  return { checksums: found, etag: answer.header("etag"), buildId: answer.header("x-build-id") };
}

/** RFC 9530: `sha-256=:<base64>:`, maybe among others. In hexadecimal, like the checksums. */
function reprSha256(header: string | null): string | null {
  const base64 = /(?:^|[\s,])sha-256=:([A-Za-z0-9+/]{43}=):/i.exec(header ?? "")?.[1];
  if (base64 === undefined) return null;
  return Array.from(atob(base64), (character) => character.charCodeAt(0).toString(16).padStart(2, "0")).join("");
}
