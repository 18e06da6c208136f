import { BlockList, isIP } from "node:net";
import { DbdepotError } from "../errors.ts";

export type Environment = Record<string, string | undefined>;

/** The proxy for an address, by HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and NO_PROXY; lower case comes first, as in curl. */
export function proxyFor(url: URL, env: Environment): URL | undefined {
  const named = variable(env, url.protocol === "https:" ? "https_proxy" : "http_proxy") ?? variable(env, "all_proxy");
  if (named === undefined || isExcepted(url, variable(env, "no_proxy") ?? "")) return undefined;
  const address = named.includes("://") ? named : `http://${named}`;
  const proxy = URL.canParse(address) ? new URL(address) : undefined;
  if (proxy?.protocol === "http:" || proxy?.protocol === "https:") return proxy;
  // Without the address: it may hold a password.
  throw new DbdepotError("network", "the proxy variables name a proxy that is neither http:// nor https://");
}

export function proxyAuthorization(proxy: URL): Record<string, string> {
  if (proxy.username === "") return {};
  const credentials = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  return { "proxy-authorization": `Basic ${Buffer.from(credentials).toString("base64")}` };
}

function variable(env: Environment, name: string): string | undefined {
  return env[name] || env[name.toUpperCase()] || undefined;
}

/** Names cover what is below them; an entry may have a port, or be a network. */
function isExcepted(url: URL, list: string): boolean {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const port = url.port || (url.protocol === "https:" ? "443" : "80");
  return list
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(Boolean)
    .some((entry) => {
      if (entry === "*") return true;
      if (entry.includes("/")) return isInNetwork(host, entry);
      const [, name = entry, entryPort] = /^\[?(.*?)\]?(?::(\d+))?$/.exec(isIP(entry) ? `[${entry}]` : entry) ?? [];
      if (entryPort !== undefined && entryPort !== port) return false;
      const domain = name.replace(/^\*?\./, "");
      return host === domain || host.endsWith(`.${domain}`);
    });
}

function isInNetwork(host: string, network: string): boolean {
  const [address = "", prefix] = network.split("/");
  const [version, hostVersion] = [isIP(address), isIP(host)];
  if (version === 0 || version !== hostVersion) return false;
  const list = new BlockList();
  const family = version === 4 ? "ipv4" : "ipv6";
  try {
    list.addSubnet(address, Number(prefix), family);
  } catch {
    return false;
  }
  return list.check(host, family);
}
