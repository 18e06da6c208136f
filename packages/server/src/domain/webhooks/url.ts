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
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) throw invalidUrl("must be an https:// URL");
  if (text.length > WEBHOOK_URL_MAX_LENGTH || url.href.length > WEBHOOK_URL_MAX_LENGTH) {
    throw invalidUrl(`must not be longer than ${WEBHOOK_URL_MAX_LENGTH} characters`);
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

function invalidUrl(problem: string): Fault {
  return new Fault("invalid_url", `the URL of a webhook ${problem}`);
}
