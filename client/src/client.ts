import { Api } from "./api.ts";
import type { Downloaded, DownloadOptions } from "./download/options.ts";
import { DbdepotError } from "./errors.ts";
import { downloads, type HistoryOptions } from "./history.ts";
import { fetchSend } from "./http/fetch.ts";
import type { Send } from "./http/http.ts";
import { type CallOptions, Keys } from "./keys.ts";
import { checksums, type DownloadUrl, downloadUrl, type FileOptions, type PinOptions } from "./link.ts";
import type { RetryEvent } from "./retry.ts";
import { VERSION } from "./version.ts";
import { Webhooks } from "./webhooks.ts";
import type { Checksums, Database, DatabaseList, DatabaseMetadata, Download, Format, Identity } from "./wire.ts";

export interface ClientOptions {
  /** The service's URL, such as `https://depot.example`. */
  baseUrl: string;
  /** Surrounding whitespace is ignored. */
  apiKey: string;
  /** Replaces the built-in HTTP client (default: undici with proxy support in Node, `fetch` in browsers). */
  fetch?: typeof fetch | undefined;
  /** Timeout for the response headers, and for every pause in the body (default: 30 s). */
  timeoutMs?: number | undefined;
  /** Maximum number of retries after temporary failures (default: 5). */
  retries?: number | undefined;
  /** The delay before the first retry; it doubles with every retry (default: 0.5 s). */
  retryDelayMs?: number | undefined;
  /** Maximum total delay of one call, including `Retry-After` (default: 2 minutes). */
  retryWaitMaxMs?: number | undefined;
  userAgent?: string | undefined;
  /** Environment to read proxy variables from (default: `process.env`). */
  env?: Record<string, string | undefined> | undefined;
  onRetry?: ((event: RetryEvent) => void) | undefined;
}

export type MetadataResult =
  | { changed: true; metadata: DatabaseMetadata; etag: string | null; buildId: string | null }
  | { changed: false; etag: string | null; buildId: string | null };

const isNode = typeof process !== "undefined" && process.versions?.node !== undefined;

/** A client for one service that uses one key. */
export class DbdepotClient {
  readonly keys: Keys;
  readonly webhooks: Webhooks;
  readonly #api: Api;

  constructor(options: ClientOptions) {
    const { retries = 5, retryDelayMs = 500, retryWaitMaxMs = 120_000 } = options;
    let send: Promise<Send> | undefined;
    this.#api = new Api({
      baseUrl: validBaseUrl(options.baseUrl),
      key: validKey(options.apiKey),
      userAgent: options.userAgent ?? (isNode ? `dbdepot-client/${VERSION}` : undefined),
      retryPolicy: { retries, delayMs: retryDelayMs, waitMaxMs: retryWaitMaxMs, onRetry: options.onRetry },
      send: () => {
        send ??= createSend(options);
        return send;
      },
    });
    this.keys = new Keys(this.#api);
    this.webhooks = new Webhooks(this.#api);
  }

  /** Returns the whole catalogue with your organization's standing. */
  async list(o: CallOptions = {}): Promise<Database[]> {
    return (await this.#api.call({ path: "/api/v2/database/list", ...o })).json<DatabaseList>().databases;
  }

  /** Returns a build's metadata. With the `etag` of an earlier result, `changed` says whether there is a new build. */
  async metadata(id: string, o: PinOptions & { etag?: string | null | undefined } = {}): Promise<MetadataResult> {
    const response = await this.#api.call({
      path: "/api/v2/database/metadata",
      query: { id, build: o.build },
      headers: o.etag ? { "if-none-match": o.etag } : {},
      signal: o.signal,
      expects: [200, 304],
    });
    const etag = response.header("etag");
    const buildId = response.header("x-build-id");
    if (response.status === 304) return { changed: false, etag: etag ?? o.etag ?? null, buildId };
    return { changed: true, metadata: response.json<DatabaseMetadata>(), etag, buildId };
  }

  async checksums(
    id: string,
    format: Format,
    o: FileOptions = {},
  ): Promise<{ checksums: Checksums; etag: string | null; buildId: string | null }> {
    return checksums(this.#api, id, format, o);
  }

  /** Returns a link to the file, for programs that download it themselves. */
  async downloadUrl(id: string, format: Format, o: FileOptions = {}): Promise<DownloadUrl> {
    return downloadUrl(this.#api, id, format, o);
  }

  /**
   * Downloads and verifies a file, resuming interrupted transfers. A path always contains the complete old file or the
   * complete new one. A stream receives bytes before they are verified and is left open: use the bytes only after the
   * promise resolves.
   */
  async download(id: string, format: Format, o: DownloadOptions): Promise<Downloaded> {
    if (!isNode) throw new DbdepotError("bad_request", "download() works in Node.js only, not in browsers");
    const { download } = await import("./download/download.ts");
    return download(this.#api, id, format, o);
  }

  /** Returns what your key is and what it may do. Fails with `not_found` on services without this endpoint. */
  async identity(o: CallOptions = {}): Promise<Identity> {
    return (await this.#api.call({ path: "/api/v1/iam/identity", ...o })).json();
  }

  /** Iterates over the download attempts of your organization's keys, newest first. */
  downloads(o: HistoryOptions = {}): AsyncIterableIterator<Download> {
    return downloads(this.#api, o);
  }
}

async function createSend({ fetch: custom, env, timeoutMs = 30_000 }: ClientOptions): Promise<Send> {
  if (custom) return fetchSend(custom, timeoutMs);
  if (!isNode) return fetchSend((...parameters) => fetch(...parameters), timeoutMs);
  const { nodeSend } = await import("./http/undici.ts");
  return nodeSend(env ?? process.env, timeoutMs);
}

function validBaseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== "https:" && url?.protocol !== "http:") {
    throw new DbdepotError("bad_request", "baseUrl must be a URL such as https://depot.example");
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, "")}`;
}

function validKey(text: string): string {
  const key = text.trim();
  // Headers allow no other characters. The message does not repeat the key.
  if (!/^[\x21-\x7e]+$/.test(key)) {
    throw new DbdepotError("unauthorized", "apiKey is empty or contains invalid characters");
  }
  return key;
}
