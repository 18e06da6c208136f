import { DbdepotError } from "../errors.ts";
import { streamRequest } from "../link.ts";
import { refusal, storageRefusal } from "../refusal.ts";
import type { Api } from "../request.ts";
import { Patience } from "../retry.ts";
import type { Incoming } from "../transport/transport.ts";
import { readAnswer } from "./answer.ts";
import type { Destination } from "./destination.ts";
import { askForOffer, type Offer, type Wish } from "./offer.ts";
import type { DownloadOptions } from "./options.ts";
import { ProgressSink } from "./progress-sink.ts";

/** Less than this is no progress that a new line of failures could be begun for. */
const PROGRESS_BYTES = 16 * 1024;
const MAX_REDIRECTS = 5;

/** What one request came to. */
type Step = "arrived" | "begin_anew" | "new_link";

/**
 * Brings the bytes of one file, over as many requests as it takes. It is done when the digest of what has arrived is
 * the one that was promised: lengths and headers only help to get there.
 */
export class Transfer {
  readonly #api: Api;
  readonly #wish: Wish;
  readonly #destination: Destination;
  readonly #options: DownloadOptions;
  readonly #patience: Patience;
  #offer: Offer = { url: null, sha256: "", buildId: null };
  /** The storage's own name for the file: what is there must be of the same. */
  #validator: string | null = null;
  #furthestBytes = 0;
  #restarts = 0;

  constructor(api: Api, wish: Wish, destination: Destination, options: DownloadOptions) {
    this.#api = api;
    this.#wish = wish;
    this.#destination = destination;
    this.#options = options;
    this.#patience = new Patience(api.policy, wish.signal);
  }

  async run(): Promise<{ sha256: string; buildId: string | null }> {
    await this.#renewOffer();
    for (;;) {
      // Also before the first request: an earlier run may have left all of it.
      if (this.#destination.takenBytes > 0 && (await this.#isComplete())) return this.#offer;
      try {
        const step = await this.#request(this.#offer.url, 0);
        if (step === "new_link") await this.#renewOffer();
        if (step === "begin_anew") await this.#restart();
        if (step === "arrived" && !(await this.#isComplete())) throw incomplete();
      } catch (error) {
        if (!(error instanceof DbdepotError)) throw error;
        this.#noteProgress();
        await this.#patience.afterFailure(error);
      }
    }
  }

  async #isComplete(): Promise<boolean> {
    return (await this.#destination.sha256SoFar()) === this.#offer.sha256;
  }

  /** For the same build as before, as long as the service has it. */
  async #renewOffer(): Promise<void> {
    const { build } = this.#options;
    const pinned = this.#offer.buildId ?? build;
    this.#offer = await askForOffer(this.#api, this.#wish, pinned).catch((error) => {
      const isGone = error instanceof DbdepotError && error.kind === "not_found" && pinned !== build;
      if (!isGone) throw error;
      return askForOffer(this.#api, this.#wish, build);
    });
    if (await this.#destination.begin(this.#offer.sha256)) return;
    throw new DbdepotError("corrupt", "a new build came out, and the stream has got some of the old one", {
      retryable: true,
    });
  }

  /** What has arrived is not the file. The offer is asked for again: it may be another file by now. */
  async #restart(): Promise<void> {
    this.#restarts += 1;
    const canRestart = this.#restarts <= this.#api.policy.retries && (await this.#destination.restart());
    if (!canRestart) {
      throw new DbdepotError("corrupt", "what arrives, again and again, is not the file that the service promises");
    }
    this.#validator = null;
    this.#furthestBytes = 0;
    this.#offer = { ...this.#offer, buildId: this.#options.build ?? null };
    await this.#renewOffer();
  }

  async #request(url: URL | null, redirects: number): Promise<Step> {
    const fromByte = this.#destination.takenBytes;
    const answer = await this.#send(url, fromByte);
    const reading = readAnswer(answer, fromByte);
    if (reading.gives === "rest") {
      this.#validator = answer.header("etag") ?? answer.header("last-modified") ?? this.#validator;
      await this.#take(answer, reading.totalBytes);
      return "arrived";
    }
    if (url === null && reading.gives !== "all" && reading.gives !== "nothing") {
      throw refusal(answer, await answer.text());
    }
    answer.discard();
    if (reading.gives === "all" || reading.gives === "nothing") return "begin_anew";
    if (reading.gives === "elsewhere" && redirects < MAX_REDIRECTS) {
      return this.#request(new URL(reading.location, url ?? undefined), redirects + 1);
    }
    const error = storageRefusal(answer, url?.origin ?? "");
    if (reading.gives !== "no_access") throw error;
    await this.#patience.afterFailure(asRetryable(error));
    return "new_link";
  }

  #send(url: URL | null, fromByte: number): Promise<Incoming> {
    const headers = {
      "accept-encoding": "identity",
      ...(fromByte > 0 && { range: `bytes=${fromByte}-` }),
      ...(fromByte > 0 && isStrong(this.#validator) && { "if-range": this.#validator }),
    };
    const { id, format, signal } = this.#wish;
    if (url === null) {
      const { path, query } = streamRequest(id, format, this.#offer.buildId ?? this.#options.build);
      return this.#api.transfer({ path, query, headers, signal });
    }
    return this.#fetch(url, headers);
  }

  /** The storage gets no key: the link is all it needs, and some stores refuse whoever shows both. */
  async #fetch(url: URL, headers: Record<string, string>): Promise<Incoming> {
    const transport = await this.#api.transport();
    const { signal } = this.#wish;
    const { timeoutMs } = this.#api;
    return transport.transfer({
      method: "GET",
      url,
      headers: { ...this.#api.publicHeaders(), ...headers },
      timeoutMs,
      signal,
    });
  }

  async #take(answer: Incoming, totalBytes: number | null): Promise<void> {
    const destination = this.#destination;
    destination.expect(totalBytes);
    const progress = new ProgressSink(destination, totalBytes, this.#options.onProgress);
    try {
      await answer.pour(progress);
    } finally {
      progress.tell();
    }
  }

  #noteProgress(): void {
    const { takenBytes } = this.#destination;
    if (takenBytes < this.#furthestBytes + PROGRESS_BYTES) return;
    this.#furthestBytes = takenBytes;
    this.#patience.progressed();
  }
}

/** A body that was cut short unnoticed, or wrong bytes: to ask for what follows tells which. */
function incomplete(): DbdepotError {
  return new DbdepotError("corrupt", "what has arrived is not the whole file", { retryable: true });
}

/** If-Range takes no weak validators (RFC 9110, 13.1.5), and a request no line breaks. */
function isStrong(validator: string | null): validator is string {
  return validator !== null && !validator.startsWith("W/") && /^[\x20-\x7e]+$/.test(validator);
}

/** With a new link it may work. */
function asRetryable(error: DbdepotError): DbdepotError {
  const { status, requestId } = error;
  return new DbdepotError(error.kind, error.message, {
    ...(status !== null && { status }),
    requestId,
    retryable: true,
  });
}
