import type {
  AccountsQuery,
  ConsoleAccount,
  InviteRequest,
  UpdateAccountRequest,
} from "@dbdepot/contract/console/accounts";
import type { Invitation, IssuedLink } from "@dbdepot/contract/console/links";
import type { ErasedPerson, EraseRequest, ErasurePlan } from "@dbdepot/contract/operator/privacy";
import { get, list, send } from "../../app/api.ts";

/** The prefix of the query keys of all lists of accounts. */
export const ACCOUNTS_KEY = ["accounts"] as const;

export const accountsApi = {
  list: list<ConsoleAccount, AccountsQuery>("/api/console/accounts", "accounts"),
  invite: (body: InviteRequest) => send<Invitation>("POST", "/api/console/accounts", body),
  update: (id: string, body: UpdateAccountRequest) =>
    send<ConsoleAccount>("PATCH", `/api/console/accounts/${id}`, body),
  move: (id: string, organization: string) =>
    send<ConsoleAccount>("POST", `/api/console/accounts/${id}/move`, { organization }),
  remove: (id: string) => send("DELETE", `/api/console/accounts/${id}`),
  issueLink: (id: string) => send<IssuedLink>("POST", `/api/console/accounts/${id}/link`, {}),
  resetTwoFactor: (id: string) => send("DELETE", `/api/console/accounts/${id}/second-factor`),
  personalDataUrl: (id: string) => `/api/operator/people/${id}/data`,
  erasure: (id: string) => get<ErasurePlan>(`/api/operator/people/${id}/erasure`),
  erase: (id: string, body: EraseRequest) => send<ErasedPerson>("POST", `/api/operator/people/${id}/erase`, body),
};
