import type { EffectiveSetting } from "@dbdepot/contract/console/settings";
import type { IdentityProvider } from "../../domain/accounts/identity.ts";
import type { Mailer } from "../../domain/accounts/mails.ts";
import type { PasskeyCeremonies } from "../../domain/accounts/passkey.ts";
import type { Brand } from "../../domain/brand/brand.ts";
import type { Lookups } from "../../domain/builds/lookup/lookup.ts";
import type { Post } from "../../domain/requests/mails.ts";
import type { TokenBuckets } from "../token-buckets.ts";
import type { SignInThrottle } from "./throttle.ts";

/** The settings of e-mails about access requests. */
export function postOf({ console }: { console: ConsoleServices }): Post {
  const { mailer, operatorMail } = console;
  return { mailer, operatorMail, publicUrl: console.publicUrl() };
}

/** The parts of the service that only the console's endpoints use. */
export interface ConsoleServices {
  /** URL of the API as people see it. Known once the server listens. */
  publicUrl(): string;
  version: string;
  brand: Brand;
  /** Contains no secrets. */
  settings: readonly EffectiveSetting[];
  /** Whether the data is example data. */
  isDemo: boolean;
  /** Undefined if people pass links on themselves. */
  mailer: Mailer | undefined;
  /** Whether people are notified by e-mail. */
  sendsNotices: boolean;
  /** Undefined if people sign in with passwords only. */
  provider: IdentityProvider | undefined;
  passkeys: PasskeyCeremonies;
  throttle: SignInThrottle;
  /** The vendor's address for requests for access. */
  operatorMail: string | undefined;
  /** Limits how many requests for access an organization can make. */
  accessRequests: TokenBuckets;
  /** Limits how many invitations and links the admins of an organization can send. */
  invitations: TokenBuckets;
  lookups: Lookups;
  /** Logs a failure of something that no response waits for. */
  onError(message: string, error: unknown): void;
}
