import type { Api } from "./api.ts";
import type { Download, DownloadList } from "./wire.ts";

export interface HistoryOptions {
  /** The maximum number of attempts (default: all). */
  limit?: number | undefined;
  signal?: AbortSignal | undefined;
}

const PATH = "/api/v2/database/downloads";
const PAGE_MAX = 200;

/** Newest first; pages are requested as the caller iterates. */
export async function* downloads(api: Api, o: HistoryOptions = {}): AsyncGenerator<Download, void, undefined> {
  let left = o.limit ?? Number.POSITIVE_INFINITY;
  let query: Record<string, string> | undefined = { limit: String(Math.max(1, Math.min(left, PAGE_MAX))) };
  while (query && left > 0) {
    const response = await api.call({ path: PATH, query, signal: o.signal });
    const page = response.json<DownloadList>().downloads;
    yield* page.slice(0, left);
    left -= page.length;
    query = page.length > 0 ? nextQuery(response.header("link")) : undefined;
  }
}

/** Uses only the query of the next page's URL, so that the key never goes to another host. */
function nextQuery(header: string | null): Record<string, string> | undefined {
  for (const [, address = "", parameters = ""] of (header ?? "").matchAll(/<([^>]*)>((?:\s*;\s*[^,;]+)*)/g)) {
    if (/;\s*rel\s*=\s*"?[^";]*\bnext\b/i.test(parameters)) {
      return Object.fromEntries(new URL(address, "http://localhost").searchParams);
    }
  }
  return undefined;
}
