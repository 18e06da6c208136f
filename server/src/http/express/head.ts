import { copyText } from "../copy-text.ts";
import type { Head } from "../request.ts";

const LINE = "\r\n";
const VERSION = " HTTP/1.1";
/**
 * A whole GET or HEAD and nothing behind it. Narrower than the standard: what does not fit is left to Node's parser, and
 * what fits has one meaning only.
 */
const SHAPE = /^(?:GET|HEAD) \/[\w\-.~:/?[\]@!$&'()*+,;=%]* HTTP\/1\.1\r\n(?:[\w!#$%&'*+.^`|~-]+:[\t -~]*\r\n)+\r\n$/;

const HEADERS_MAX = 100;
/** What says something about the body or the connection, and what Node reads in a way of its own. */
const LEFT_TO_NODE = new Set([
  "connection",
  "content-length",
  "expect",
  "http2-settings",
  "keep-alive",
  "proxy-connection",
  "set-cookie",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

const NAMES_MAX = 200;
/** Names as they were spelled, and in lower case: clients send the same few. */
const names = new Map<string, string>();

/** The head of a plain request; undefined for whatever is not quite plain. No header is there twice. */
export function parseHead(text: string): Head | undefined {
  if (!SHAPE.test(text)) return undefined;
  const lineEnd = text.indexOf(LINE);
  const methodEnd = text.indexOf(" ");
  const headers: Record<string, string> = {};
  let count = 0;
  for (let at = lineEnd + 2; at < text.length - 2; ) {
    const colon = text.indexOf(":", at);
    const end = text.indexOf(LINE, colon);
    const name = lowerCase(text.slice(at, colon));
    const value = text.slice(colon + 1, end).trim();
    count += 1;
    if (headers[name] !== undefined || count > HEADERS_MAX) return undefined;
    if (LEFT_TO_NODE.has(name) && !isKeepAlive(name, value)) return undefined;
    headers[name] = value;
    at = end + 2;
  }
  if (headers.host === undefined) return undefined;
  return {
    method: text.slice(0, methodEnd),
    url: text.slice(methodEnd + 1, lineEnd - VERSION.length),
    headers,
  };
}

function lowerCase(name: string): string {
  const known = names.get(name);
  if (known !== undefined) return known;
  const lower = name.toLowerCase();
  if (names.size < NAMES_MAX) names.set(copyText(name), lower);
  return lower;
}

/** It says nothing new. */
function isKeepAlive(name: string, value: string): boolean {
  return name === "connection" && value.toLowerCase() === "keep-alive";
}
