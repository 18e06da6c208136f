import Type, { type Static } from "typebox";
import { closedObject } from "../shared/closed-object.ts";

/** Sign-in with an OpenID Connect provider, in /api/console requests and in URLs of the console. */

/** Why a sign-in failed: `problem` in the URL of the sign-in page, to which the browser is sent back. */
const SIGN_IN_PROBLEMS = [
  "provider_unreachable",
  "sign_in_failed",
  "declined",
  "email_not_verified",
  "no_account",
  "other_identity",
  "account_disabled",
  "too_many_attempts",
] as const;
export type SignInProblem = (typeof SIGN_IN_PROBLEMS)[number];

export function isSignInProblem(value: unknown): value is SignInProblem {
  return SIGN_IN_PROBLEMS.includes(value as SignInProblem);
}

export const OidcStartQuery = closedObject("OidcStartQuery", "Where to continue.", {
  to: Type.Optional(
    Type.String({
      maxLength: 1000,
      // The path is appended to /console, so that it never leads to another site.
      pattern: "^/[!-~]*$",
      description: "Page of the console to show after signing in.",
      examples: ["/keys"],
    }),
  ),
});
export type OidcStartQuery = Static<typeof OidcStartQuery>;

/** Providers may send further parameters. */
export const OidcCallbackQuery = Type.Object(
  {
    code: Type.Optional(Type.String({ description: "The authorization code." })),
    state: Type.Optional(Type.String({ description: "The `state` of the request that was sent to the provider." })),
    iss: Type.Optional(Type.String({ description: "The provider's issuer URL (RFC 9207)." })),
    error: Type.Optional(Type.String({ description: "Why the provider did not sign the person in." })),
  },
  { title: "OidcCallbackQuery", description: "What the provider responds." },
);
