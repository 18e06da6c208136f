import type { ChangeNoticesRequest, NoticeChoices } from "@dbdepot/contract/console/notices";
import type {
  AccountSecurity,
  AddedPasskey,
  AddPasskeyRequest,
  Confirmation,
  NewRecoveryCodes,
  PasskeyCreation,
  PasskeyUse,
} from "@dbdepot/contract/console/security";
import type { ChangePasswordRequest, SessionAccount, SessionList } from "@dbdepot/contract/console/sessions";
import { queryOptions } from "@tanstack/react-query";
import { get, send } from "../../app/api.ts";

/** Requests with which people read and change their own account. */
export const accountApi = {
  rename: (name: string) => send<SessionAccount>("PATCH", "/api/console/account", { name }),
  dataUrl: "/api/console/account/data",
  changePassword: (body: ChangePasswordRequest) => send("PUT", "/api/console/password", body),
  sessions: () => get<SessionList>("/api/console/sessions"),
  endSession: (id: string) => send("DELETE", `/api/console/sessions/${id}`),
  changeNotices: (body: ChangeNoticesRequest) => send<NoticeChoices>("PATCH", "/api/console/notices", body),
  confirmationOptions: () => send<PasskeyUse>("POST", "/api/console/confirmation/options"),
  passkeyOptions: (proof: Confirmation) => send<PasskeyCreation>("POST", "/api/console/passkeys/options", proof),
  addPasskey: (body: AddPasskeyRequest) => send<AddedPasskey>("POST", "/api/console/passkeys", body),
  removePasskey: (id: string, proof: Confirmation) => send("POST", `/api/console/passkeys/${id}/remove`, proof),
  renewRecoveryCodes: (proof: Confirmation) => send<NewRecoveryCodes>("POST", "/api/console/recovery-codes", proof),
};

export const noticesQuery = queryOptions({
  queryKey: ["notices"],
  queryFn: () => get<NoticeChoices>("/api/console/notices"),
});

export const securityQuery = queryOptions({
  queryKey: ["security"],
  queryFn: () => get<AccountSecurity>("/api/console/security"),
});
