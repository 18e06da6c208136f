import type { Api } from "./api.ts";

/**
 * Requests pages as the caller iterates. Only the query of the next page's URL is used, so that the key is never sent to
 * another host.
 */
export async function* pages<T>(
  api: Api,
  path: string,
  { query: firstQuery, signal }: { query?: Record<string, string>; signal?: AbortSignal | undefined },
): AsyncGenerator<T, void, undefined> {
  let query: Record<string, string> | undefined = firstQuery ?? {};
  while (query) {
    const response = await api.call({ path, query, signal });
    yield response.json<T>();
    query = nextQuery(response.header("link"));
  }
}

function nextQuery(header: string | null): Record<string, string> | undefined {
  for (const [, address = "", parameters = ""] of (header ?? "").matchAll(/<([^>]*)>((?:\s*;\s*[^,;]+)*)/g)) {
    if (/;\s*rel\s*=\s*"?[^";]*\bnext\b/i.test(parameters)) {
      return Object.fromEntries(new URL(address, "http://localhost").searchParams);
    }
  }
  return undefined;
}
