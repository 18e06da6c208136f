import { OidcCallbackQuery, OidcStartQuery } from "@dbdepot/contract/console/oidc";
import type { SignInProblem } from "@dbdepot/contract/shared/choices";
import type { FastifyReply } from "fastify";
import { Token } from "../../domain/access/token.ts";
import { type IdentityProvider, ProviderFault } from "../../domain/accounts/identity.ts";
import { signInWithProvider } from "../../domain/accounts/provider-sign-in.ts";
import { notFound } from "../../platform/primitives/faults.ts";
import { endedProviderCookie, providerCookie, providerSecret } from "../cookies.ts";
import { endpoint, type PublicContext } from "../endpoint.ts";
import type { RequestContext, Services } from "../route.ts";
import { clientOf, welcome } from "./session.ts";

const CALLBACK_PATH = "/api/console/oidc/callback";

export const OIDC_ROUTES = [
  endpoint({
    method: "GET",
    url: "/api/console/oidc/start",
    scope: "public",
    respond: startProviderSignIn,
    summary: "Sign in with OpenID Connect",
    description:
      "Sends the browser to the OpenID Connect provider. If the provider cannot be reached, the browser returns to the sign-in page, which shows the `problem`.",
    query: OidcStartQuery,
    errors: ["NOT_FOUND"],
  }),
  endpoint({
    method: "GET",
    url: "/api/console/oidc/callback",
    scope: "public",
    respond: finishProviderSignIn,
    summary: "Finish signing in with OpenID Connect",
    description:
      "The provider sends the browser here. Sets the session cookie and continues to the console, or returns to the sign-in page, which shows the `problem`. Only people who have been invited can sign in.",
    query: OidcCallbackQuery,
    errors: ["NOT_FOUND"],
  }),
];

/** Sends the browser to the provider. */
async function startProviderSignIn(context: PublicContext<OidcStartQuery>): Promise<FastifyReply> {
  const { services, reply, query } = context;
  const provider = requireProvider(services);
  const publicUrl = services.console.publicUrl();
  const secret = Token.generate();
  try {
    const url = await provider.signInUrl(secret, publicUrl + CALLBACK_PATH);
    reply.header("set-cookie", providerCookie({ secret, to: query.to ?? "/" }, publicUrl));
    return reply.redirect(url.href);
  } catch (error) {
    return sendProblem(context, report(context, error));
  }
}

/** The provider sends the browser back here. */
async function finishProviderSignIn(context: PublicContext): Promise<FastifyReply> {
  const { services, request, reply, now } = context;
  const { throttle, publicUrl } = services.console;
  const provider = requireProvider(services);
  const kept = providerSecret(request);
  reply.header("set-cookie", endedProviderCookie(publicUrl()));
  // Another browser started the sign-in, or it took too long.
  if (!kept) return sendProblem(context, "sign_in_failed");
  const attempt = { purpose: "sign in", address: request.clientAddress } as const;
  if (throttle.take(attempt, now) > 0) return sendProblem(context, "too_many_attempts");
  try {
    const identity = await provider.identify(kept.secret, new URL(publicUrl() + request.url));
    const signedIn = await signInWithProvider({ store: services.store, now }, identity, clientOf(context));
    if (typeof signedIn === "string") return sendProblem(context, signedIn);
    throttle.forgive(attempt);
    await welcome(context, signedIn);
    return reply.redirect(`/console${kept.to}`);
  } catch (error) {
    return sendProblem(context, report(context, error));
  }
}

function requireProvider({ console }: Services): IdentityProvider {
  if (!console.provider) throw notFound("this server has no OpenID Connect provider: sign in with your password");
  return console.provider;
}

/** Logs the cause for the operator, who can fix it. Throws errors that it does not know. */
function report({ services }: RequestContext, error: unknown): SignInProblem {
  if (!(error instanceof ProviderFault)) throw error;
  services.console.onError(error.message, error.cause);
  return error.problem;
}

/** The sign-in page explains the problem. */
function sendProblem({ reply }: RequestContext, problem: SignInProblem): FastifyReply {
  return reply.redirect(`/console/sign-in?problem=${problem}`);
}
