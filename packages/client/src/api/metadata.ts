import type { Api } from "./api.ts";
import { readBuildId, readMetadata } from "./incoming.ts";
import type { PinOptions } from "./link.ts";
import type { DatabaseMetadata } from "./wire.gen.ts";

export type MetadataResult =
  | {
      changed: true;
      metadata: DatabaseMetadata;
      /** The document as it was sent. The signed manifest has its digest. */
      document: Uint8Array;
      etag: string | null;
      buildId: string | null;
    }
  | { changed: false; etag: string | null; buildId: string | null };

export type MetadataOptions = PinOptions & { etag?: string | null | undefined };

export async function metadata(api: Api, id: string, o: MetadataOptions = {}): Promise<MetadataResult> {
  const response = await api.call({
    path: "/api/v2/database/metadata",
    query: { id, build: o.build },
    headers: o.etag ? { "if-none-match": o.etag } : {},
    signal: o.signal,
    expects: [200, 304],
  });
  const etag = response.header("etag");
  const buildId = readBuildId(response.header("x-build-id"));
  if (response.status === 304) return { changed: false, etag: etag ?? o.etag ?? null, buildId };
  return { changed: true, metadata: readMetadata(response.json()), document: response.bytes, etag, buildId };
}
