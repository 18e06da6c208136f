import { isIP } from "node:net";
import { WEBHOOK_URL_MAX_LENGTH } from "@dbdepot/contract/v2/webhooks";
import { Fault } from "../../platform/primitives/faults.ts";
import { isAllowedAddress } from "./addresses.ts";

/** The host of a URL as an address or a name, without the brackets of IPv6. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, "");
}

/**
 * Checks what can be checked without a lookup, so that mistakes are reported when they are made. Addresses are checked again
 * with every request.
 */
export function requireWebhookUrl(text: string, privateNetworks: readonly string[]): string {
  return requirePublicUrl(text, privateNetworks, { what: "the URL of a webhook", maxLength: WEBHOOK_URL_MAX_LENGTH });
}

/** The same rules for every URL that a customer chooses and the service connects to. `what` names it in messages. */
export function requirePublicUrl(
  text: string,
  privateNetworks: readonly string[],
  { what, maxLength }: { what: string; maxLength: number },
): string {
  const invalidUrl = (problem: string) => new Fault("invalid_url", `${what} ${problem}`);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) throw invalidUrl("must be an https:// URL");
  if (text.length > maxLength || url.href.length > maxLength) {
    throw invalidUrl(`must not be longer than ${maxLength} characters`);
  }
  if (url.username || url.password) throw invalidUrl("must not contain a user name or a password");
  if (url.hash) throw invalidUrl("must not contain a fragment");
  if (url.protocol === "http:" && privateNetworks.length === 0) throw invalidUrl("must start with https://");
  const host = hostOf(url);
  if (isIP(host) !== 0 && !isAllowedAddress(host, privateNetworks)) {
    throw invalidUrl("must not point to a private or reserved address");
  }
  return url.href;
}
