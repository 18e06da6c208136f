import type { ConsoleAccount } from "@dbdepot/contract/console/accounts";
import { queryOptions } from "@tanstack/react-query";
import { allPages, api } from "../../app/api.ts";

/** All accounts that the person may see. Its key is the prefix of all lists of accounts. */
export const accountsQuery = queryOptions({ queryKey: ["accounts"], queryFn: () => loadAccounts() });

export function accountsOf(organizationId: string) {
  return queryOptions({ queryKey: ["accounts", organizationId], queryFn: () => loadAccounts(organizationId) });
}

function loadAccounts(organizationId?: string): Promise<ConsoleAccount[]> {
  return allPages(
    (url) => api.accounts(organizationId, url),
    ({ accounts }) => accounts,
  );
}
