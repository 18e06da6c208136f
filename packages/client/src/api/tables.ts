import type { Api } from "./api.ts";
import type { CallOptions } from "./keys.ts";

/** A table that programs read with Delta Sharing. */
export interface Table {
  /** The family. */
  share: string;
  schema: string;
  /** The id of the version. */
  name: string;
}

interface Page<Item> {
  items: Item[];
  nextPageToken?: string;
}

/** Where programs find the service. */
export const SHARING_PATH = "/delta-sharing";

/** Lists the tables that the key can read. */
export async function tables(api: Api, o: CallOptions = {}): Promise<Table[]> {
  const found: Table[] = [];
  for await (const { name } of items<{ name: string }>(api, `${SHARING_PATH}/shares`, o)) {
    const path = `${SHARING_PATH}/shares/${encodeURIComponent(name)}/all-tables`;
    for await (const table of items<Table>(api, path, o)) found.push(table);
  }
  return found;
}

async function* items<Item>(api: Api, path: string, { signal }: CallOptions): AsyncGenerator<Item, void, undefined> {
  for (let token: string | undefined = ""; token !== undefined; ) {
    const query: Record<string, string> = token === "" ? {} : { pageToken: token };
    const page: Page<Item> = (await api.call({ path, query, signal })).json<Page<Item>>();
    yield* page.items;
    token = page.nextPageToken;
  }
}
