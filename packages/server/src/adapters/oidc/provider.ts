import { hash } from "node:crypto";
import * as openid from "openid-client";
import type { Token } from "../../domain/access/token.ts";
import { type IdentityProvider, type ProvidedIdentity, ProviderFault } from "../../domain/accounts/identity.ts";

export interface ProviderOptions {
  issuer: URL;
  clientId: string;
  clientSecret: string;
  /** Shown on the sign-in page. */
  name: string;
}

/** A provider that does not respond must not keep people waiting. */
const TIMEOUT_SECONDS = 10;

/** Signs people in with the authorization code flow, PKCE, `state` and `nonce`. Contacts the provider when it is first needed. */
export function openProvider({ issuer, clientId, clientSecret, name }: ProviderOptions): IdentityProvider {
  let discovered: Promise<openid.Configuration> | undefined;

  function discover(): Promise<openid.Configuration> {
    discovered ??= openid
      .discovery(issuer, clientId, undefined, openid.ClientSecretBasic(clientSecret), {
        execute: [
          openid.enableNonRepudiationChecks,
          // The settings allow http:// on this machine only.
          ...(issuer.protocol === "http:" ? [openid.allowInsecureRequests] : []),
        ],
        timeout: TIMEOUT_SECONDS,
      })
      .catch((error) => {
        // The next person who signs in tries again.
        discovered = undefined;
        throw new ProviderFault("provider_unreachable", error);
      });
    return discovered;
  }

  return {
    name,
    async signInUrl(secret, redirectUri) {
      const config = await discover();
      const { state, nonce, verifier } = derive(secret);
      return openid.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: "openid email",
        code_challenge: await openid.calculatePKCECodeChallenge(verifier),
        code_challenge_method: "S256",
        state,
        nonce,
      });
    },
    async identify(secret, callback) {
      const config = await discover();
      try {
        return await identify(config, secret, callback);
      } catch (error) {
        throw new ProviderFault(problemOf(error), error);
      }
    },
  };
}

async function identify(config: openid.Configuration, secret: Token, callback: URL): Promise<ProvidedIdentity> {
  const { state, nonce, verifier } = derive(secret);
  const tokens = await openid.authorizationCodeGrant(config, callback, {
    pkceCodeVerifier: verifier,
    expectedState: state,
    expectedNonce: nonce,
    idTokenExpected: true,
  });
  const claims = tokens.claims();
  if (!claims) throw new Error("the provider sent no ID token");
  const { iss: issuer, sub: subject } = claims;
  // Providers need not put the address into the ID token.
  const { email, email_verified: isVerified } =
    claims.email === undefined ? await openid.fetchUserInfo(config, tokens.access_token, subject) : claims;
  const verifiedEmail = typeof email === "string" && isVerified === true ? email : undefined;
  return { issuer, subject, verifiedEmail };
}

/** Derives everything that ties the callback to the browser from the one secret that the browser keeps. */
function derive(secret: Token) {
  const value = (purpose: string) => hash("sha256", `${purpose}:${secret.reveal()}`, "base64url");
  return { state: value("state"), nonce: value("nonce"), verifier: value("verifier") };
}

function problemOf(error: unknown): ProviderFault["problem"] {
  if (error instanceof openid.AuthorizationResponseError && error.error === "access_denied") return "declined";
  // Network failures are what fetch throws: a TypeError, or a DOMException for the timeout.
  const { code, cause } = error as { code?: unknown; cause?: { code?: unknown } };
  const isUnreachable = code === "OAUTH_TIMEOUT" || (error instanceof TypeError && cause !== undefined);
  return isUnreachable ? "provider_unreachable" : "sign_in_failed";
}
