import type { ListedApiKey } from "@dbdepot/contract/iam/keys";
import { queryOptions } from "@tanstack/react-query";
import { allItems, api } from "../../app/api.ts";

/** All keys of the organization, newest first. There is rarely more than one page. */
export const keysQuery = queryOptions({
  queryKey: ["keys"],
  queryFn: (): Promise<ListedApiKey[]> => allItems(api.keys, {}),
});
