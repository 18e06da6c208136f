import { PasskeyUse, UsedPasskey } from "@dbdepot/contract/console/security";
import { SessionState } from "@dbdepot/contract/console/sessions";
import type { FastifyReply } from "fastify";
import { beginPasskeySignIn, signInWithPasskey } from "../../domain/accounts/passkey-sign-in.ts";
import { endpoint, type PublicContext } from "../endpoint.ts";
import { sendError } from "../errors.ts";
import { sendLimited } from "../plugins/rate-limits.ts";
import { clientOf, welcome } from "./session.ts";

export const PASSKEY_SIGN_IN_ROUTES = [
  endpoint({
    method: "POST",
    url: "/api/console/session/passkey/options",
    scope: "public",
    respond: postOptions,
    summary: "Begin to sign in with a passkey",
    description:
      "Returns what the browser needs to sign in with a passkey and without a password, within five minutes. The options are the same for everyone and name no account.",
    response: PasskeyUse,
    errors: ["CONFLICT", "RATE_LIMITED"],
  }),
  endpoint({
    method: "POST",
    url: "/api/console/session/passkey",
    scope: "public",
    respond: postPasskeySession,
    summary: "Sign in with a passkey",
    description:
      "Verifies what the passkey has signed and sets the session cookie. The authenticator must have checked who uses it, so that this counts as two factors, and the account must have a password. Each token works once. Repeated failures are answered with 429, as for passwords.",
    body: UsedPasskey,
    response: SessionState,
    errors: ["INVALID_CREDENTIALS", "RATE_LIMITED"],
  }),
];

async function postOptions({ services, request, reply, now }: PublicContext): Promise<PasskeyUse | FastifyReply> {
  const { throttle, passkeys } = services.console;
  const wait = throttle.takePasskeyOptions(request.clientAddress, now);
  if (wait > 0) return sendLimited(reply, wait);
  const { token, options } = await beginPasskeySignIn({ store: services.store, now }, passkeys);
  return { token: token.reveal(), options };
}

async function postPasskeySession(context: PublicContext<unknown, UsedPasskey>): Promise<SessionState | FastifyReply> {
  const { services, request, reply, body, now } = context;
  const { throttle, passkeys } = services.console;
  const attempt = { purpose: "passkey", address: request.clientAddress } as const;
  const wait = throttle.take(attempt, now);
  if (wait > 0) return sendLimited(reply, wait);
  const signedIn = await signInWithPasskey({ store: services.store, now }, passkeys, body, clientOf(context));
  if (!signedIn) return sendError(reply, "INVALID_CREDENTIALS");
  throttle.forgive(attempt);
  return welcome(context, signedIn);
}
