import type { Api } from "./request.ts";
import type { Download, DownloadList } from "./wire.ts";

export interface HistoryOptions {
  /** How many attempts in all; left out: every one that the service still knows. */
  limit?: number | undefined;
  signal?: AbortSignal | undefined;
}

const PATH = "/api/v2/database/downloads";
const PAGE_MAX = 200;

/** Newest first, page by page as they are asked for. */
export async function* downloads(api: Api, o: HistoryOptions = {}): AsyncGenerator<Download, void, undefined> {
  let left = o.limit ?? Number.POSITIVE_INFINITY;
  let query: Record<string, string> | undefined = { limit: String(Math.max(1, Math.min(left, PAGE_MAX))) };
  while (query && left > 0) {
    const answer = await api.call({ path: PATH, query, signal: o.signal });
    const page = answer.json<DownloadList>().downloads;
    yield* page.slice(0, left);
    left -= page.length;
    query = page.length > 0 ? nextQuery(answer.header("link")) : undefined;
  }
}

/** Of the next page's address only the query counts: whatever host it names, the key goes to the service alone. */
function nextQuery(header: string | null): Record<string, string> | undefined {
  for (const [, address = "", parameters = ""] of (header ?? "").matchAll(/<([^>]*)>((?:\s*;\s*[^,;]+)*)/g)) {
    if (/;\s*rel\s*=\s*"?[^";]*\bnext\b/i.test(parameters)) {
      return Object.fromEntries(new URL(address, "http://localhost").searchParams);
    }
  }
  return undefined;
}
