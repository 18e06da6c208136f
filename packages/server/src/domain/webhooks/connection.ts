import { promises as dns, type LookupAddress } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import { isAllowedAddress, isAllowedPrivate } from "./addresses.ts";
import { hostOf } from "./url.ts";

class NotAllowed extends Error {}

export type Resolve = (host: string) => Promise<LookupAddress[]>;

/**
 * Returns the lookup for a connection to a URL that a customer chose. Forbidden addresses are dropped, and the connection goes to
 * one of the others, so a name cannot change its address in between. Throws NotAllowed if the host is a forbidden address.
 */
export function guardedLookup(
  url: URL,
  privateNetworks: readonly string[],
  resolve: Resolve = resolveAll,
): LookupFunction {
  const isPlain = url.protocol === "http:";
  const isAllowed = (address: string) =>
    isPlain ? isAllowedPrivate(address, privateNetworks) : isAllowedAddress(address, privateNetworks);
  const host = hostOf(url);
  // Node does not look up addresses.
  if (isIP(host) !== 0 && !isAllowed(host)) throw new NotAllowed();
  return (name, options, callback) => {
    resolve(name).then(
      (found) => {
        const allowed = found.filter(({ address }) => isAllowed(address));
        const [first] = allowed;
        if (!first) callback(new NotAllowed(), []);
        else if (options.all) callback(null, allowed);
        else callback(null, first.address, first.family);
      },
      (error) => callback(error, []),
    );
  };
}

function resolveAll(host: string): Promise<LookupAddress[]> {
  return dns.lookup(host, { all: true });
}

/** One message for all names that cannot be called, because differences would reveal which names exist in the vendor's network. */
const NOT_CALLABLE = "the host was not found, or has no address to which webhooks may be sent";

const ERRORS: Record<string, string> = {
  ECONNREFUSED: "connection refused",
  ECONNRESET: "connection closed before a response arrived",
  EHOSTUNREACH: "host unreachable",
  ENETUNREACH: "network unreachable",
  ENOTFOUND: NOT_CALLABLE,
  EAI_AGAIN: NOT_CALLABLE,
  ETIMEDOUT: "connection timed out",
};

/** Says why no response arrived, without details of our network. */
export function describeFailure(error: unknown, timeoutMs: number): string {
  if (error instanceof NotAllowed) return NOT_CALLABLE;
  const { name, code = "" } = error as NodeJS.ErrnoException;
  if (name === "AbortError" || name === "TimeoutError") return `no response within ${timeoutMs / 1000} s`;
  const cause = (error as AggregateError).errors?.[0] as NodeJS.ErrnoException | undefined;
  const known = ERRORS[code] ?? ERRORS[cause?.code ?? ""];
  if (known) return known;
  if (code.startsWith("HPE_")) return "the response is not valid HTTP";
  // Codes of TLS errors, such as CERT_HAS_EXPIRED, and other codes of Node contain no addresses.
  return code ? `request failed: ${code}` : "request failed";
}
