import { Api } from "./api/api.ts";
import { type ChangesOptions, changedRows, changes } from "./api/changes.ts";
import { Destinations } from "./api/destinations.ts";
import { type EventsOptions, events, type ServiceEvent } from "./api/events.ts";
import { downloads, type HistoryOptions, type UsageOptions, usage } from "./api/history.ts";
import { readCatalogue } from "./api/incoming.ts";
import { type CallOptions, Keys } from "./api/keys.ts";
import {
  checksums,
  type DownloadUrl,
  downloadRequest,
  downloadUrl,
  type FileChecksums,
  type FileOptions,
  type PinOptions,
} from "./api/link.ts";
import { type MetadataOptions, type MetadataResult, metadata } from "./api/metadata.ts";
import type { RetryEvent } from "./api/retry.ts";
import { type Table, tables } from "./api/tables.ts";
import { Webhooks } from "./api/webhooks.ts";
import type {
  Database,
  DatabaseChanges,
  DatabaseList,
  Download,
  Format,
  Identity,
  LimitList,
  LimitUse,
  Manifest,
  UsageReport,
} from "./api/wire.gen.ts";
import type { Downloaded, DownloadOptions } from "./download/options.ts";
import { DbdepotError } from "./errors.ts";
import { fetchSend } from "./http/fetch.ts";
import type { Send } from "./http/http.ts";
import type { MirroredDatabase, MirrorOptions } from "./mirror/options.ts";
import type { Freshness, TrustState } from "./proof/results.ts";
import type { ManifestVerifier } from "./proof/verifier.ts";
import { VERSION } from "./version.ts";

export interface ClientOptions {
  /** The service's URL, such as `https://depot.example`. Not needed with `from`. */
  baseUrl?: string | undefined;
  /**
   * Surrounding whitespace is ignored. Not needed with `from`. A function is called for every request, for keys that
   * change, such as those of `login()`.
   */
  apiKey?: string | (() => Promise<string>) | undefined;
  /** A mirror to download from instead of the service: a directory, or the URL of one. */
  from?: string | undefined;
  /** The token that `from` asks for, if it is a mirror that asks for one. */
  fromToken?: string | undefined;
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
  /** The vendor's public keys, as minisign writes them. Downloads fail unless one of them signed the build. */
  trust?: string | readonly string[] | undefined;
  /**
   * A file that remembers the vendor's key and the newest manifests. If it has no key and `trust` is not given, the
   * first key of the service is trusted.
   */
  trustFile?: string | undefined;
  /** Never writes the trust file. */
  isTrustFileReadOnly?: boolean | undefined;
  /** A statement of freshness that is older is not accepted (default: as long as the vendor says). */
  maxAgeMs?: number | undefined;
  /**
   * Called with the reason if nothing proves that a build is the newest one, instead of failing with the kind `stale`. The
   * build is then used anyway.
   */
  onStale?: ((error: DbdepotError) => void) | undefined;
  /** Called when a key is trusted for the first time, or because a trusted key endorses it. */
  onTrust?: ((event: TrustEvent) => void) | undefined;
}

/** A verified manifest, and until when it may be relied on that it is the newest one. */
export interface Proof {
  manifest: Manifest;
  freshness: Freshness | undefined;
}

export interface TrustEvent {
  keyId: string;
  publicKey: string;
  reason: "given" | "first use" | "endorsed";
}

const isNode = typeof process !== "undefined" && process.versions?.node !== undefined;

const NO_KEY_FOR_MIRROR =
  "a mirror can be trusted only with the vendor's public key: pass it with --trust (in the library: trust), or run dbdepot sync first; nothing was changed";

/** Placeholders for a client that reads a mirror. Neither the URL nor the key ever leaves the process. */
const MIRROR_URL = "http://mirror.invalid";
const MIRROR_KEY = "none";

/** A client for one service that uses one key. */
export class DbdepotClient {
  readonly keys: Keys;
  readonly webhooks: Webhooks;
  /** The buckets to which builds are delivered. Your key needs the scope `apikeys.manage`. */
  readonly destinations: Destinations;
  readonly #api: Api;
  readonly #options: ClientOptions;
  #verifier: Promise<ManifestVerifier> | undefined;

  constructor(options: ClientOptions) {
    const { retries = 5, retryDelayMs = 500, retryWaitMaxMs = 120_000 } = options;
    let send: Promise<Send> | undefined;
    this.#options = options;
    this.#api = new Api({
      baseUrl: options.from === undefined ? validBaseUrl(options.baseUrl ?? "") : MIRROR_URL,
      key: options.from === undefined ? keyOf(options.apiKey) : MIRROR_KEY,
      userAgent: options.userAgent ?? (isNode ? `dbdepot-client/${VERSION}` : undefined),
      retryPolicy: { retries, delayMs: retryDelayMs, waitMaxMs: retryWaitMaxMs, onRetry: options.onRetry },
      send: () => {
        send ??= createSend(options);
        return send;
      },
    });
    this.keys = new Keys(this.#api);
    this.webhooks = new Webhooks(this.#api);
    this.destinations = new Destinations(this.#api);
  }

  /** Returns the whole catalogue with your organization's standing. */
  async list(o: CallOptions = {}): Promise<Database[]> {
    return readCatalogue((await this.#api.call({ path: "/api/v2/database/list", ...o })).json<DatabaseList>());
  }

  /** Returns a build's metadata. With the `etag` of an earlier result, `changed` says whether there is a new build. */
  async metadata(id: string, o: MetadataOptions = {}): Promise<MetadataResult> {
    return metadata(this.#api, id, o);
  }

  async checksums(id: string, format: Format, o: FileOptions = {}): Promise<FileChecksums> {
    return checksums(this.#api, id, format, o);
  }

  /**
   * Returns what changed between two builds: how many rows were added, removed and changed, with examples. Fails with the
   * status 410 if `from` is no longer kept: download the whole file instead.
   */
  async changes(id: string, o: ChangesOptions = {}): Promise<DatabaseChanges> {
    return changes(this.#api, id, o);
  }

  /** Iterates over the rows that differ between two builds, as the bytes of a CSV whose first column is `op`. */
  changedRows(id: string, o: ChangesOptions = {}): AsyncIterableIterator<Uint8Array> {
    return changedRows(this.#api, id, o);
  }

  /** Returns a link to the file, for programs that download it themselves. */
  async downloadUrl(id: string, format: Format, o: FileOptions = {}): Promise<DownloadUrl> {
    return downloadUrl(this.#api, id, format, o);
  }

  /**
   * Downloads and verifies a file, resuming interrupted transfers. If the path has an earlier build of the file and the
   * service has a patch from it, only the patch is downloaded. A path always contains the complete old file or the
   * complete new one. A stream receives bytes before they are verified and is left open: use the bytes only after the
   * promise resolves.
   */
  async download(id: string, format: Format, o: DownloadOptions): Promise<Downloaded> {
    if (!isNode) throw new DbdepotError("bad_request", "download() works in Node.js only, not in browsers");
    const { download } = await import("./download/download.ts");
    const manifest = (o.verify ?? true) ? await this.manifestFor(id, o) : undefined;
    // A mirror sends files itself.
    const delivery = this.#options.from === undefined ? o.delivery : "stream";
    return download(this.#api, id, format, { ...o, delivery, ...(manifest && fileOf(manifest, format, o.sample)) });
  }

  /**
   * Returns the signed manifest of the current build, or of the given one, after verifying it. Undefined if the service
   * does not sign its builds and no key is trusted; a mirror without signatures is always refused. Node.js only.
   */
  async manifest(id: string, o: PinOptions = {}): Promise<Manifest | undefined> {
    return (await this.proof(id, o))?.manifest;
  }

  /**
   * Returns the manifest like `manifest()`, and the statement that it is the newest one, which says until when you may rely on
   * that. `freshness` is undefined for a build that was asked for, or if the service issues no statements. Fails with the
   * kind `stale` if it did before, or if the statement has ended or is not the newest one.
   */
  async proof(id: string, o: PinOptions = {}): Promise<Proof | undefined> {
    const { build, signal } = o;
    const verified = await (await this.#openVerifier()).verified(id, { build, signal });
    // A mirror contains signed builds only.
    if (!verified && this.#options.from !== undefined) {
      throw new DbdepotError("untrusted", `the mirror has no signed manifest of ${id}; nothing was changed`);
    }
    return verified && { manifest: verified.manifest, freshness: verified.fresh?.freshness };
  }

  /**
   * Asks whether the last manifest that was verified is still the newest one. Undefined if it has to be verified again with
   * `proof()`.
   */
  async confirm(id: string, o: CallOptions = {}): Promise<Pick<Proof, "freshness"> | undefined> {
    return (await this.#openVerifier()).confirmed(id, o.signal);
  }

  /**
   * Returns the verified manifest that a download must match. Undefined if no key is trusted, or for a sample from the
   * service: a manifest needs a licence, a sample does not.
   */
  async manifestFor(id: string, o: PinOptions & { sample?: boolean | undefined }): Promise<Manifest | undefined> {
    const isMirror = this.#options.from !== undefined;
    if (o.sample && !isMirror) return undefined;
    if (this.#isVerifying) return this.manifest(id, o);
    // Anyone may have made the mirror, and its checksums come from the mirror too.
    if (isMirror) throw new DbdepotError("untrusted", NO_KEY_FOR_MIRROR);
    return undefined;
  }

  /**
   * Repeats a request that was refused for lack of a licence as a `HEAD` of the download, which the service records in
   * the history, unlike requests for metadata, manifests and checksums. Never fails, and sends nothing to a mirror.
   */
  async recordRefusal(id: string, format: Format, o: CallOptions = {}): Promise<void> {
    if (this.#options.from !== undefined) return;
    const request = { ...downloadRequest(id, format), method: "HEAD", signal: o.signal } as const;
    const response = await this.#api.fetchFromService(request).catch(() => undefined);
    response?.discard();
  }

  /**
   * Copies the current build of a database into a directory, with its manifests and signatures, from which other
   * clients can download it. Node.js only.
   */
  async mirror(id: string, o: MirrorOptions): Promise<MirroredDatabase> {
    const verifier = await this.#openVerifier();
    const { mirrorDatabase } = await import("./mirror/mirror.ts");
    return mirrorDatabase(this.#api, verifier, id, o);
  }

  /** Call it after the databases have been mirrored. Writes the list of keys and the catalogue of the mirror. */
  async finishMirror(catalogue: readonly Database[], o: MirrorOptions): Promise<void> {
    const { mirrorIndex, mirrorKeys } = await import("./mirror/mirror.ts");
    await mirrorKeys(this.#api, o);
    await mirrorIndex(catalogue, o);
  }

  /** Whether a signing key is trusted, and whether a manifest of this database has been verified before. */
  async trustIn(id: string): Promise<TrustState> {
    if (!this.#isVerifying) return { hasKey: false, hasSeen: false, seenBuildId: undefined };
    return (await this.#openVerifier()).trustIn(id);
  }

  get #isVerifying(): boolean {
    const { trust = [], trustFile } = this.#options;
    return trust.length > 0 || trustFile !== undefined;
  }

  #openVerifier(): Promise<ManifestVerifier> {
    this.#verifier ??= openVerifier(this.#api, this.#options);
    return this.#verifier;
  }

  /** Returns what your key is and what it may do. Fails with `not_found` on services without this endpoint. */
  async identity(o: CallOptions = {}): Promise<Identity> {
    return (await this.#api.call({ path: "/api/v1/iam/identity", ...o })).json();
  }

  /**
   * Iterates over new builds and changes of your licences and keys as they happen. Reconnects when the connection
   * breaks, without missing an event. Throws if the service refuses the stream, with the kind `not_found` if it has no
   * event stream.
   */
  events(o: EventsOptions = {}): AsyncIterableIterator<ServiceEvent> {
    return events(this.#api, o);
  }

  /** Iterates over the download attempts of your organization's keys, newest first. */
  downloads(o: HistoryOptions = {}): AsyncIterableIterator<Download> {
    return downloads(this.#api, o);
  }

  /** Returns the limits that your vendor has set for your organization, and how much of them is used. Usually none. */
  async limits(o: CallOptions = {}): Promise<LimitUse[]> {
    return (await this.#api.call({ path: "/api/v2/database/limits", ...o })).json<LimitList>().limits;
  }

  /** Lists the tables that other programs can read with Delta Sharing and this key. */
  tables(o: CallOptions = {}): Promise<Table[]> {
    return tables(this.#api, o);
  }

  /** Reports what your organization downloaded, by month, day or database. */
  usage(o: UsageOptions = {}): Promise<UsageReport> {
    return usage(this.#api, o);
  }
}

async function openVerifier(api: Api, options: ClientOptions): Promise<ManifestVerifier> {
  if (!isNode) throw new DbdepotError("bad_request", "signatures can be verified in Node.js only, not in browsers");
  const { trust = [], trustFile: path, isTrustFileReadOnly = false, maxAgeMs, onStale, onTrust } = options;
  const { ManifestVerifier } = await import("./proof/verifier.ts");
  const { memoryTrust } = await import("./proof/trust.ts");
  const { trustFile } = await import("./proof/trust-file.ts");
  const store = path === undefined ? memoryTrust() : trustFile(path, { isReadOnly: isTrustFileReadOnly });
  return new ManifestVerifier(api, {
    store,
    given: typeof trust === "string" ? [trust] : trust,
    maxAgeMs,
    onStale,
    onTrust,
  });
}

/** Returns the build, digest and size that a download must have according to the manifest. */
export function fileOf({ id, build_id: build, files }: Manifest, format: Format, isSample = false) {
  const file = files[isSample ? (`sample_${format}` as const) : format];
  if (build === null) throw new DbdepotError("not_available", `the vendor has withdrawn the last build of ${id}`);
  if (!file) throw new DbdepotError("bad_request", `${id} has no ${isSample ? "sample" : "file"} in this format`);
  return { build, sha256: file.checksums.sha256, sizeBytes: file.size_bytes };
}

async function createSend({ from, fromToken, ...options }: ClientOptions): Promise<Send> {
  if (from === undefined) return createHttpSend(options);
  if (!isNode) throw new DbdepotError("bad_request", "mirrors can be used in Node.js only, not in browsers");
  const { mirrorSend } = await import("./mirror/send.ts");
  const { directoryFiles } = await import("./mirror/responses.ts");
  if (!/^https?:\/\//.test(from)) return mirrorSend(directoryFiles(from));
  const base = `${validBaseUrl(from)}/`;
  const send = await createHttpSend(options);
  const authorization = fromToken === undefined ? {} : { authorization: `Bearer ${validKey(fromToken)}` };
  return mirrorSend((path, { headers, signal }) =>
    send({ method: "GET", url: new URL(path, base), headers: { ...headers, ...authorization }, signal }),
  );
}

export async function createHttpSend({
  fetch: custom,
  env,
  timeoutMs = 30_000,
}: Pick<ClientOptions, "fetch" | "env" | "timeoutMs">): Promise<Send> {
  if (custom) return fetchSend(custom, timeoutMs);
  if (!isNode) return fetchSend((...parameters) => fetch(...parameters), timeoutMs);
  const { nodeSend } = await import("./http/undici.ts");
  return nodeSend(env ?? process.env, timeoutMs);
}

export function validBaseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== "https:" && url?.protocol !== "http:") {
    throw new DbdepotError("bad_request", "baseUrl must be a URL such as https://depot.example");
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, "")}`;
}

function keyOf(apiKey: ClientOptions["apiKey"]): string | (() => Promise<string>) {
  if (typeof apiKey !== "function") return validKey(apiKey ?? "");
  return async () => validKey(await apiKey());
}

function validKey(text: string): string {
  const key = text.trim();
  // Headers cannot contain other characters. The message does not repeat the key.
  if (!/^[\x21-\x7e]+$/.test(key)) {
    throw new DbdepotError("unauthorized", "apiKey is empty or contains invalid characters");
  }
  return key;
}
