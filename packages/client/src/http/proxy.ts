import { BlockList, isIP } from "node:net";
import { DbdepotError } from "../errors.ts";

export type Environment = Record<string, string | undefined>;

/** The proxy for a URL according to HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and NO_PROXY. Lower case wins, as in curl. */
export function proxyFor(url: URL, env: Environment): URL | undefined {
  const scheme = url.protocol === "https:" ? "https_proxy" : "http_proxy";
  const value = variable(env, scheme) ?? variable(env, "all_proxy");
  if (value === undefined || isExempt(url, variable(env, "no_proxy") ?? "")) return undefined;
  const address = value.includes("://") ? value : `http://${value}`;
  const proxy = URL.canParse(address) ? new URL(address) : undefined;
  if (proxy?.protocol === "http:" || proxy?.protocol === "https:") return proxy;
  // The message does not repeat the address, which may contain a password.
  throw new DbdepotError("network", `${scheme.toUpperCase()} must be an http:// or https:// URL`);
}

function variable(env: Environment, name: string): string | undefined {
  return env[name] || env[name.toUpperCase()] || undefined;
}

/** An entry is `*`, a CIDR block, or a host with an optional port; a host includes its subdomains. */
function isExempt(url: URL, noProxy: string): boolean {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const port = url.port || (url.protocol === "https:" ? "443" : "80");
  return noProxy
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(Boolean)
    .some((entry) => {
      if (entry === "*") return true;
      if (entry.includes("/")) return isInBlock(host, entry);
      const [, name = entry, entryPort] = /^\[?(.*?)\]?(?::(\d+))?$/.exec(isIP(entry) ? `[${entry}]` : entry) ?? [];
      if (entryPort !== undefined && entryPort !== port) return false;
      const domain = name.replace(/^\*?\./, "");
      return host === domain || host.endsWith(`.${domain}`);
    });
}

function isInBlock(host: string, block: string): boolean {
  const [address = "", prefix] = block.split("/");
  const version = isIP(address);
  if (version === 0 || version !== isIP(host)) return false;
  const family = version === 4 ? "ipv4" : "ipv6";
  const list = new BlockList();
  try {
    list.addSubnet(address, Number(prefix), family);
  } catch {
    return false;
  }
  return list.check(host, family);
}
