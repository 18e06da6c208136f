import type { Token } from "../access/token.ts";

/** Whom an OpenID Connect provider knows a person as. Both never change, unlike the e-mail address. */
export interface Identity {
  issuer: string;
  subject: string;
}

/** What the provider says about a person who signed in there. */
export interface ProvidedIdentity extends Identity {
  /** Undefined unless the provider has verified that it belongs to the person. */
  verifiedEmail: string | undefined;
}

/** Where people sign in instead of with a password. */
export interface IdentityProvider {
  /** For the button on the sign-in page. */
  name: string;
  /** Where to send the browser. The secret stays in the browser and ties the callback to it. */
  signInUrl(secret: Token, redirectUri: string): Promise<URL>;
  /** Reads the URL to which the provider sent the browser back. Rejects with a `ProviderFault`. */
  identify(secret: Token, callback: URL): Promise<ProvidedIdentity>;
}

/** Why the provider did not say who a person is. */
export type ProviderProblem = "provider_unreachable" | "sign_in_failed" | "declined";

export class ProviderFault extends Error {
  override readonly name = "ProviderFault";
  readonly problem: ProviderProblem;

  constructor(problem: ProviderProblem, cause: unknown) {
    super(`sign-in with the OpenID Connect provider failed: ${problem}`, { cause });
    this.problem = problem;
  }
}
