import Type, { type Static } from "typebox";
import { closedObject } from "../shared/closed-object.ts";

/** Sign-in with an OpenID Connect provider, in /api/console requests and in URLs of the console. */

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
