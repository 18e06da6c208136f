import { checksums, downloadUrl } from "../link.ts";
import type { Api } from "../request.ts";
import type { Format } from "../wire.ts";

/** A file that the service offers, and how to know it. */
export interface Offer {
  /** Null: the service sends it itself. */
  url: URL | null;
  sha256: string;
  buildId: string | null;
}

export interface Wish {
  id: string;
  format: Format;
  delivery: "redirect" | "stream";
  signal: AbortSignal | undefined;
}

/**
 * The digest comes with the link. A service, or a proxy before it, that gives none is asked for the checksums: of the
 * same build where builds can be told apart. Where they cannot, a new one may come in between, and the digest is of
 * that: then the file does not fit, and the whole is asked for again.
 */
export async function askForOffer(api: Api, wish: Wish, build: string | undefined): Promise<Offer> {
  const { id, format, signal } = wish;
  if (wish.delivery === "stream") {
    const found = await checksums(api, id, format, { build, signal });
    return { url: null, sha256: found.checksums.sha256, buildId: found.buildId };
  }
  const link = await downloadUrl(api, id, format, { build, signal });
  const known = { url: new URL(link.url), buildId: link.buildId };
  if (link.sha256 !== null) return { ...known, sha256: link.sha256 };
  const found = await checksums(api, id, format, { build: link.buildId ?? build, signal });
  return { ...known, sha256: found.checksums.sha256, buildId: link.buildId ?? found.buildId };
}
