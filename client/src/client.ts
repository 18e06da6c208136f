import type { Downloaded, DownloadOptions } from "./download/options.ts";
import { DbdepotError } from "./errors.ts";
import { downloads, type HistoryOptions } from "./history.ts";
import { type CallOptions, Keys } from "./keys.ts";
import { checksums, type DownloadUrl, downloadUrl, type PinOptions } from "./link.ts";
import { Api } from "./request.ts";
import type { RetryEvent } from "./retry.ts";
import { fetchTransport } from "./transport/fetch-transport.ts";
import type { Transport } from "./transport/transport.ts";
import { VERSION } from "./version.ts";
import type { Checksums, Database, DatabaseList, DatabaseMetadata, Download, Format } from "./wire.ts";

export interface ClientOptions {
  /** Like `https://depot.example`. */
  baseUrl: string;
  /** White space around it does not count. It is shown nowhere. */
  apiKey: string;
  /** Left out: in Node our own, which knows proxy variables; in a browser its fetch. */
  fetch?: typeof fetch | undefined;
  /** Until an answer begins, and as the longest pause while its bytes arrive. Left out: 30 s. */
  timeoutMs?: number | undefined;
  /** How often a call is made again after a failure that may pass. Left out: 5. */
  retries?: number | undefined;
  /** The first pause before that; each further one is twice as long. Left out: 0.5 s. */
  retryDelayMs?: number | undefined;
  /** How long all pauses together may be, those that the service asks for included. Left out: 2 minutes. */
  retryWaitMaxMs?: number | undefined;
  userAgent?: string | undefined;
  /** Where the proxy variables are looked up. Left out: the process's environment. */
  env?: Record<string, string | undefined> | undefined;
  onRetry?: ((event: RetryEvent) => void) | undefined;
}

export type MetadataAnswer =
  | { changed: true; metadata: DatabaseMetadata; etag: string | null; buildId: string | null }
  | { changed: false; etag: string | null; buildId: string | null };

const isNode = typeof process !== "undefined" && process.versions?.node !== undefined;

/** A service, and a key to it. */
export class DbdepotClient {
  readonly keys: Keys;
  readonly #api: Api;

  constructor(options: ClientOptions) {
    const { timeoutMs = 30_000, retries = 5, retryDelayMs = 500, retryWaitMaxMs = 120_000 } = options;
    let transport: Promise<Transport> | undefined;
    this.#api = new Api({
      baseUrl: checkedBaseUrl(options.baseUrl),
      key: checkedKey(options.apiKey),
      userAgent: options.userAgent ?? (isNode ? `dbdepot-client/${VERSION}` : undefined),
      timeoutMs,
      policy: { retries, delayMs: retryDelayMs, waitMaxMs: retryWaitMaxMs, onRetry: options.onRetry },
      transport: () => {
        transport ??= openTransport(options.fetch, options.env);
        return transport;
      },
    });
    this.keys = new Keys(this.#api);
  }

  /** The whole catalogue, with your standing. */
  async list(o: CallOptions = {}): Promise<Database[]> {
    return (await this.#api.call({ path: "/api/v2/database/list", ...o })).json<DatabaseList>().databases;
  }

  /** What the build holds. With the `etag` of an earlier answer: whether there is a new one. */
  async metadata(id: string, o: PinOptions & { etag?: string | null | undefined } = {}): Promise<MetadataAnswer> {
    const answer = await this.#api.call({
      path: "/api/v2/database/metadata",
      query: { id, build: o.build },
      headers: o.etag ? { "if-none-match": o.etag } : {},
      signal: o.signal,
      expects: [200, 304],
    });
    const etag = answer.header("etag");
    const buildId = answer.header("x-build-id");
    if (answer.status === 304) return { changed: false, etag: etag ?? o.etag ?? null, buildId };
    return { changed: true, metadata: answer.json<DatabaseMetadata>(), etag, buildId };
  }

  async checksums(
    id: string,
    format: Format,
    o: PinOptions = {},
  ): Promise<{ checksums: Checksums; etag: string | null; buildId: string | null }> {
    return checksums(this.#api, id, format, o);
  }

  /** A link to the file, for a program that fetches it itself. */
  async downloadUrl(id: string, format: Format, o: PinOptions = {}): Promise<DownloadUrl> {
    return downloadUrl(this.#api, id, format, o);
  }

  /**
   * Fetches a file, takes up again what broke off, and verifies it. A path holds the old file or the new one at any
   * moment, never anything else. A stream gets bytes before they are verified, and is left open: what it got counts
   * once the promise is fulfilled.
   */
  async download(id: string, format: Format, o: DownloadOptions): Promise<Downloaded> {
    if (!isNode) throw new DbdepotError("bad_request", "download needs Node: a browser can open the link itself");
    const { download } = await import("./download/download.ts");
    return download(this.#api, id, format, o);
  }

  /** Attempts to download of your organization's keys, newest first. */
  downloads(o: HistoryOptions = {}): AsyncIterableIterator<Download> {
    return downloads(this.#api, o);
  }
}

async function openTransport(
  fetcher: typeof fetch | undefined,
  env: Record<string, string | undefined> | undefined,
): Promise<Transport> {
  if (fetcher) return fetchTransport(fetcher);
  if (!isNode) return fetchTransport((...parameters) => fetch(...parameters));
  const { nodeTransport } = await import("./transport/node-transport.ts");
  return nodeTransport(env ?? process.env);
}

function checkedBaseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== "https:" && url?.protocol !== "http:") {
    throw new DbdepotError("bad_request", "baseUrl must be an address like https://depot.example");
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, "")}`;
}

function checkedKey(text: string): string {
  const key = text.trim();
  // A header can hold nothing else; and without the key itself, which an error must not show.
  if (!/^[\x21-\x7e]+$/.test(key)) {
    throw new DbdepotError("unauthorized", "apiKey is empty, or has characters in it that no key has");
  }
  return key;
}
