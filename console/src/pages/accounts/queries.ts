import type { ConsoleAccount } from "@dbdepot/contract/console";
import { queryOptions } from "@tanstack/react-query";
import { api } from "../../app/api.ts";

export const accountsQuery = queryOptions({
  queryKey: ["accounts"],
  queryFn: async (): Promise<ConsoleAccount[]> => {
    const accounts: ConsoleAccount[] = [];
    let url: string | undefined;
    do {
      const { body, next } = await api.accounts(url);
      accounts.push(...body.accounts);
      url = next;
    } while (url);
    return accounts;
  },
});
