import type { IssuedLink } from "@dbdepot/contract/console/links";
import type { EffectiveSetting } from "@dbdepot/contract/console/settings";
import type { IdentityProvider } from "../../domain/accounts/identity.ts";
import type { PasskeyCeremonies } from "../../domain/accounts/passkey.ts";
import type { Brand } from "../../domain/brand/brand.ts";
import type { Lookups } from "../../domain/builds/lookup/lookup.ts";
import type { MailCourier } from "../../domain/mail/courier.ts";
import type { TokenBuckets } from "../token-buckets.ts";
import type { SignInThrottle } from "./throttle.ts";

/** Sends the e-mail that a change has written. Only the vendor is told what the mail server said. */
export async function send(
  { console }: { console: Pick<ConsoleServices, "courier"> },
  about: string,
  reader: { isOperator: boolean },
): Promise<Pick<IssuedLink, "mailed" | "mail">> {
  const result = await console.courier?.sendSoon(about);
  const mail = result ? { state: result.state, error: reader.isOperator ? result.error : null } : null;
  return { mailed: mail?.state === "sent", mail };
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
  courier: MailCourier | undefined;
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
