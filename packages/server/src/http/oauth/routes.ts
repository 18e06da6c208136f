import * as oauth from "@dbdepot/contract/oauth/oauth";
import type { Route } from "../route.ts";
import { authorize } from "./authorize.ts";
import { explainParameters, oauthError } from "./errors.ts";
import { authorizationServer, authorizeDevice, revoke, token } from "./handlers.ts";

/** All endpoints for programs accept forms instead of JSON, and return the errors of OAuth. */
const FORM = {
  method: "POST",
  scope: "public",
  isForm: true,
  errorBody: oauthError,
  onError: explainParameters,
} as const;

/** The authorization server with which programs sign in. The person approves in the console (console/programs.ts). */
export const OAUTH_ROUTES: readonly Route[] = [
  {
    method: "GET",
    url: "/.well-known/oauth-authorization-server",
    scope: "public",
    handler: authorizationServer,
    summary: "Discover how programs sign in",
    description: "Returns the addresses and abilities of the authorization server (RFC 8414).",
    response: oauth.AuthorizationServer,
    errorBody: oauthError,
  },
  {
    ...FORM,
    url: "/oauth/device_authorization",
    handler: authorizeDevice,
    summary: "Start a sign-in on a device",
    description:
      "Begins the device flow (RFC 8628): show the person `user_code` and `verification_uri`, then poll `/oauth/token`. Unknown scopes are dropped; if all are unknown, the error is `invalid_scope`. An address can start 30 sign-ins a minute; more get 429 `slow_down`.",
    body: oauth.DeviceAuthorizationRequest,
    response: oauth.DeviceAuthorization,
    errors: ["INVALID_REQUEST", "TOO_LARGE", "UNSUPPORTED_MEDIA_TYPE", "RATE_LIMITED"],
  },
  {
    method: "GET",
    url: "/oauth/authorize",
    scope: "public",
    handler: authorize,
    summary: "Ask a person for access",
    description:
      "Open this in the person's browser to begin the authorization code flow with PKCE. The browser returns to `redirect_uri` with `code`, `state` and `iss`, or with `error`. An unknown program or redirect is shown to the person, who is never sent there.",
    query: oauth.AuthorizeQuery,
    errorBody: oauthError,
  },
  {
    ...FORM,
    url: "/oauth/token",
    handler: token,
    changesRegister: true,
    summary: "Get or renew a key",
    description:
      "Exchanges a device code, an authorization code or a refresh token for an API key (RFC 6749). Each works once. A refresh gives the key a new secret and a new end; the old secret keeps working for a minute. A code or token that is sent again ends the sign-in and revokes its key. Refusals have the status 400 and one of OAuth's errors.",
    body: oauth.TokenRequest,
    response: oauth.TokenResponse,
    errors: ["INVALID_REQUEST", "TOO_LARGE", "UNSUPPORTED_MEDIA_TYPE", "RATE_LIMITED"],
  },
  {
    ...FORM,
    url: "/oauth/revoke",
    handler: revoke,
    changesRegister: true,
    summary: "Sign out",
    description:
      "Ends the sign-in that a refresh token or a key belongs to, and revokes the key (RFC 7009). The response is 200 for every token, known or not, and 400 `invalid_request` without one. Keys that were not issued to a program are not affected.",
    body: oauth.RevokeTokenRequest,
    isBodyOptional: true,
    errors: ["INVALID_REQUEST", "TOO_LARGE", "UNSUPPORTED_MEDIA_TYPE"],
  },
];
