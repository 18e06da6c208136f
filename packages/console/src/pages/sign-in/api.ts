import type { AcceptLinkRequest, LinkDetails } from "@dbdepot/contract/console/links";
import type { PasskeyUse, SecondFactorAnswer, UsedPasskey } from "@dbdepot/contract/console/security";
import type { SessionState, SignInRequest } from "@dbdepot/contract/console/sessions";
import { send } from "../../app/api.ts";

export const signInApi = {
  signIn: (body: SignInRequest) => send<SessionState>("POST", "/api/console/session", body),
  secondFactor: (body: SecondFactorAnswer) => send<SessionState>("POST", "/api/console/session/second-factor", body),
  passkeyOptions: () => send<PasskeyUse>("POST", "/api/console/session/passkey/options"),
  passkey: (body: UsedPasskey) => send<SessionState>("POST", "/api/console/session/passkey", body),
  inspectLink: (token: string) => send<LinkDetails>("POST", "/api/console/links/inspect", { token }),
  acceptLink: (body: AcceptLinkRequest) => send<SessionState>("POST", "/api/console/links/accept", body),
  requestReset: (email: string) => send("POST", "/api/console/password-resets", { email }),
};
