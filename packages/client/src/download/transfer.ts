import type { Api } from "../api/api.ts";
import { streamRequest } from "../api/link.ts";
import { serviceError, storageError } from "../api/response-errors.ts";
import { Retries } from "../api/retry.ts";
import { DbdepotError } from "../errors.ts";
import type { HttpResponse } from "../http/http.ts";
import type { Destination } from "./destination.ts";
import type { DownloadOptions } from "./options.ts";
import { classifyResponse } from "./range-response.ts";
import { type FileRequest, findSize, findSource, type Source } from "./source.ts";

/** A transfer that receives less than this between two failures is not making progress. */
const PROGRESS_MIN_BYTES = 16 * 1024;
const PROGRESS_INTERVAL_MS = 50;
const REDIRECTS_MAX = 5;

type NextStep = "check_digest" | "start_over" | "renew_link";

/**
 * Fetches the bytes of one file with as many requests as necessary. The file is complete when its digest matches;
 * lengths and headers are only hints.
 */
export class Transfer {
  readonly #api: Api;
  readonly #file: FileRequest;
  readonly #destination: Destination;
  readonly #options: DownloadOptions;
  readonly #retries: Retries;
  #source: Source = { url: null, sha256: "", buildId: null, patch: null };
  /** Found by the caller, and used once instead of asking again. */
  #first: Source | undefined;
  /** More bytes cannot belong to the file. Undefined if the service does not announce sizes. */
  #sizeBytes: number | undefined;
  /** ETag or Last-Modified of the object, so that a resumed request continues the same object. */
  #validator: string | null = null;
  #furthestBytes = 0;
  #restarts = 0;

  constructor(api: Api, file: FileRequest, destination: Destination, options: DownloadOptions, first?: Source) {
    this.#first = first;
    this.#api = api;
    this.#file = file;
    this.#destination = destination;
    this.#options = options;
    this.#retries = new Retries(api.retryPolicy, file.signal);
  }

  async run(): Promise<Pick<Source, "sha256" | "buildId">> {
    await this.#renewSource();
    // An earlier run may have left the complete file.
    if (this.#destination.receivedBytes > 0 && (await this.#isComplete())) return this.#source;
    for (;;) {
      try {
        const next = await this.#request(this.#source.url, 0);
        if (next === "renew_link") await this.#renewSource();
        if (next === "start_over") await this.#startOver();
        if (await this.#isComplete()) return this.#source;
        if (next === "check_digest") throw incompleteError();
      } catch (error) {
        if (!(error instanceof DbdepotError)) throw error;
        this.#noteProgress();
        await this.#retries.waitAfter(error);
      }
    }
  }

  async #isComplete(): Promise<boolean> {
    return (await this.#destination.sha256()) === this.#source.sha256;
  }

  /** Requests the same build again, or the current one if that build has been removed. */
  async #renewSource(): Promise<void> {
    const { build } = this.#options;
    const pinned = this.#source.buildId ?? build;
    const first = this.#first;
    const knownSha256 = this.#source.sha256;
    this.#first = undefined;
    this.#source =
      first ??
      (await findSource(this.#api, this.#file, pinned).catch((error) => {
        const isGone = error instanceof DbdepotError && error.kind === "not_found" && pinned !== build;
        if (!isGone) throw error;
        return findSource(this.#api, this.#file, build);
      }));
    const { sha256 } = this.#options;
    if (sha256 !== undefined && this.#source.sha256 !== sha256) {
      throw new DbdepotError(
        "untrusted",
        `the service offers a ${this.#file.format} file of ${this.#file.id} that is not the signed one; nothing was changed, tell your vendor if it stays like this`,
      );
    }
    if (this.#source.sha256 !== knownSha256) {
      this.#sizeBytes = await findSize(this.#api, this.#file, this.#source, this.#options);
    }
    if (await this.#destination.begin(this.#source.sha256)) return;
    throw new DbdepotError(
      "corrupt",
      "a new build was published after part of the old one had been written to the stream",
      {
        retryable: true,
      },
    );
  }

  /** Discards the received bytes, which do not belong to the file. There may be a new build, so the source is renewed too. */
  async #startOver(): Promise<void> {
    this.#restarts += 1;
    const canRestart = this.#restarts <= this.#api.retryPolicy.retries && (await this.#destination.restart());
    if (!canRestart) {
      throw new DbdepotError("corrupt", "the received bytes do not match the service's checksum, even after retries");
    }
    this.#validator = null;
    this.#furthestBytes = 0;
    this.#source = { ...this.#source, buildId: this.#options.build ?? null };
    await this.#renewSource();
  }

  async #request(url: URL | null, redirects: number): Promise<NextStep> {
    const fromByte = this.#destination.receivedBytes;
    const response = await this.#send(url, fromByte);
    const classified = classifyResponse(response, fromByte);
    if (classified.type === "content") {
      this.#validator = response.header("etag") ?? response.header("last-modified") ?? this.#validator;
      const totalBytes = classified.totalBytes ?? this.#sizeBytes ?? null;
      if (this.#isTooLarge(totalBytes ?? 0)) {
        response.discard();
        return "start_over";
      }
      if (totalBytes !== null) await this.#reserve(response, totalBytes);
      return this.#receive(response, totalBytes);
    }
    if (classified.type === "start_over") {
      response.discard();
      return "start_over";
    }
    if (url === null) throw serviceError(response, await response.text());
    response.discard();
    if (classified.type === "redirect" && redirects < REDIRECTS_MAX) {
      return this.#request(new URL(classified.location, url), redirects + 1);
    }
    const error = storageError(response, url.origin);
    if (classified.type !== "link_expired") throw error;
    await this.#retries.waitAfter(asRetryable(error));
    return "renew_link";
  }

  /** The key is never sent to the storage: the link is enough, and some stores refuse requests that have both. */
  #send(url: URL | null, fromByte: number): Promise<HttpResponse> {
    const { id, format, sample, signal } = this.#file;
    const headers = { "accept-encoding": "identity", ...this.#rangeHeaders(fromByte) };
    if (url !== null) return this.#api.fetchFromStorage(url, headers, signal);
    const { path, query } = streamRequest(id, format, { build: this.#source.buildId ?? this.#options.build, sample });
    return this.#api.fetchFromService({ path, query, headers, signal });
  }

  #rangeHeaders(fromByte: number): Record<string, string> {
    if (fromByte === 0) return {};
    const range = { range: `bytes=${fromByte}-` };
    return isStrong(this.#validator) ? { ...range, "if-range": this.#validator } : range;
  }

  async #reserve(response: HttpResponse, totalBytes: number): Promise<void> {
    try {
      await this.#destination.reserve(totalBytes);
    } catch (error) {
      response.discard();
      throw error;
    }
  }

  /** Bytes beyond the expected size cannot belong to the file, however many the storage sends. */
  #isTooLarge(sizeBytes: number): boolean {
    return sizeBytes > (this.#sizeBytes ?? Number.POSITIVE_INFINITY);
  }

  async #receive(response: HttpResponse, totalBytes: number | null): Promise<NextStep> {
    let reportedAtMs = 0;
    const report = () => {
      reportedAtMs = performance.now();
      const { receivedBytes, resumedFromBytes } = this.#destination;
      this.#options.onProgress?.({ receivedBytes, totalBytes, resumedFromBytes });
    };
    try {
      for await (const chunk of response.chunks()) {
        // Leaving the loop ends the transfer.
        if (this.#isTooLarge(this.#destination.receivedBytes + chunk.length)) return "start_over";
        await this.#destination.write(chunk);
        if (performance.now() - reportedAtMs >= PROGRESS_INTERVAL_MS) report();
      }
      return "check_digest";
    } finally {
      report();
    }
  }

  #noteProgress(): void {
    const { receivedBytes } = this.#destination;
    if (receivedBytes < this.#furthestBytes + PROGRESS_MIN_BYTES) return;
    this.#furthestBytes = receivedBytes;
    this.#retries.reset();
  }
}

/** Either the body was truncated or the bytes are wrong. Requesting the rest shows which. */
function incompleteError(): DbdepotError {
  return new DbdepotError("corrupt", "the received bytes are not the complete file", { retryable: true });
}

/** If-Range does not accept weak validators (RFC 9110, section 13.1.5). */
function isStrong(validator: string | null): validator is string {
  return validator !== null && !validator.startsWith("W/") && /^[\x20-\x7e]+$/.test(validator);
}

/** A new link may work. */
function asRetryable(error: DbdepotError): DbdepotError {
  const { kind, message, status, requestId } = error;
  return new DbdepotError(kind, message, { ...(status !== null && { status }), requestId, retryable: true });
}
