import type { Token } from "../access/token.ts";

/** A person's identity at an OpenID Connect provider. Unlike the e-mail address, it never changes. */
export interface Identity {
  issuer: string;
  subject: string;
}

/** The provider's statement about a person who signed in there. */
export interface ProvidedIdentity extends Identity {
  /** Undefined unless the provider has verified that it belongs to the person. */
  verifiedEmail: string | undefined;
}

/** An OpenID Connect provider, where people sign in instead of with a password. */
export interface IdentityProvider {
  /** The label of the button on the sign-in page. */
  name: string;
  /** Returns the URL to redirect the browser to. The secret stays in the browser and ties the callback to it. */
  signInUrl(secret: Token, redirectUri: string): Promise<URL>;
  /** Reads the URL to which the provider sent the browser back. Rejects with a `ProviderFault`. */
  identify(secret: Token, callback: URL): Promise<ProvidedIdentity>;
}

/** The reason why a sign-in with the provider failed. */
export type ProviderProblem = "provider_unreachable" | "sign_in_failed" | "declined";

export class ProviderFault extends Error {
  override readonly name = "ProviderFault";
  readonly problem: ProviderProblem;

  constructor(problem: ProviderProblem, cause: unknown) {
    super(`sign-in with the OpenID Connect provider failed: ${problem}`, { cause });
    this.problem = problem;
  }
}
