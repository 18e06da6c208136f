import { DbdepotError, networkError } from "../errors.ts";
import { type RawResponse, type Send, withTimeout } from "./http.ts";

/** Sends requests with `fetch`, in browsers and for callers who pass their own. */
export function fetchSend(fetcher: typeof fetch, timeoutMs: number): Send {
  return withTimeout(async ({ method, url, headers, body }, signal): Promise<RawResponse> => {
    const init = { method, headers, ...(body !== undefined && { body }), signal, redirect: "manual" } as const;
    const response = await fetcher(url.href, init).catch((error) => {
      throw networkError(url.origin, error);
    });
    if (response.type === "opaqueredirect") {
      throw new DbdepotError(
        "bad_request",
        "downloadUrl() works in Node.js only: browsers do not reveal the target of a redirect",
      );
    }
    return {
      status: response.status,
      header: (name) => response.headers.get(name),
      body: chunksOf(response.body),
      discard: () => void response.body?.cancel().catch(() => {}),
    };
  }, timeoutMs);
}

/** Uses a reader because not every browser supports async iteration of streams. */
async function* chunksOf(body: ReadableStream<Uint8Array> | null): AsyncGenerator<Uint8Array> {
  const reader = body?.getReader();
  try {
    for (;;) {
      const chunk = (await reader?.read())?.value;
      if (!chunk) return;
      yield chunk;
    }
  } finally {
    reader?.cancel().catch(() => {});
  }
}
