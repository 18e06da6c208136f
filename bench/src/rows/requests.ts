import type { Customer } from "../data/customers.ts";
import type { HttpRequest } from "../exchange.ts";

const API = "/api/v2/database";

/** What customers ask for. */
export const ASK = {
  metadata: ({ key, databaseId }: Customer) => get(key, `${API}/metadata?id=${databaseId}`),
  checksum: ({ key, databaseId }: Customer) => get(key, `${API}/checksum?id=${databaseId}&format=mmdb`),
  download: ({ key, databaseId }: Customer) => get(key, `${API}/download?id=${databaseId}&format=mmdb`),
  list: ({ key }: Customer) => get(key, `${API}/list`),
  history: ({ key }: Customer) => get(key, `${API}/downloads`),
};

function get(key: string, path: string): HttpRequest {
  return { path, headers: { Authorization: `Bearer ${key}`, "User-Agent": "dbdepot-bench" } };
}
