import type { ChangeNoticesRequest, NoticeChoices } from "@dbdepot/contract/console/notices";
import type {
  AccountSecurity,
  AddedPasskey,
  AddPasskeyRequest,
  NewRecoveryCodes,
  PasskeyCreation,
  RemovePasskeyRequest,
} from "@dbdepot/contract/console/security";
import type { ChangePasswordRequest, SessionAccount, SessionList } from "@dbdepot/contract/console/sessions";
import { queryOptions } from "@tanstack/react-query";
import { get, send } from "../../app/api.ts";

/** What people read and change about their own account. */
export const accountApi = {
  rename: (name: string) => send<SessionAccount>("PATCH", "/api/console/account", { name }),
  dataUrl: "/api/console/account/data",
  changePassword: (body: ChangePasswordRequest) => send("PUT", "/api/console/password", body),
  sessions: () => get<SessionList>("/api/console/sessions"),
  endSession: (id: string) => send("DELETE", `/api/console/sessions/${id}`),
  changeNotices: (body: ChangeNoticesRequest) => send<NoticeChoices>("PATCH", "/api/console/notices", body),
  passkeyOptions: () => send<PasskeyCreation>("POST", "/api/console/passkeys/options"),
  addPasskey: (body: AddPasskeyRequest) => send<AddedPasskey>("POST", "/api/console/passkeys", body),
  removePasskey: (id: string, body: RemovePasskeyRequest) => send("POST", `/api/console/passkeys/${id}/remove`, body),
  renewRecoveryCodes: () => send<NewRecoveryCodes>("POST", "/api/console/recovery-codes"),
};

export const noticesQuery = queryOptions({
  queryKey: ["notices"],
  queryFn: () => get<NoticeChoices>("/api/console/notices"),
});

export const securityQuery = queryOptions({
  queryKey: ["security"],
  queryFn: () => get<AccountSecurity>("/api/console/security"),
});
