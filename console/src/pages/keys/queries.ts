import type { ApiKey } from "@dbdepot/contract/apikeys";
import { queryOptions } from "@tanstack/react-query";
import { api } from "../../app/api.ts";

/** All keys of the organization, newest first. There are rarely more than one page. */
export const keysQuery = queryOptions({
  queryKey: ["keys"],
  queryFn: async (): Promise<ApiKey[]> => {
    const keys: ApiKey[] = [];
    let url: string | undefined;
    do {
      const { body, next } = await api.keys(url);
      keys.push(...body.keys);
      url = next;
    } while (url);
    return keys;
  },
});
