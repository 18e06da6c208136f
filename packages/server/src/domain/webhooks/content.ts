/** Headers and body of a request or response, as far as the delivery log keeps them. */
export interface HttpContent {
  headers: Record<string, string>;
  body: string;
  /** Whether only the beginning of the body is kept. */
  isCut: boolean;
}

/** Bytes of a body that are kept: enough for every event and for most error pages. Node accepts no more headers either. */
export const KEPT_BYTES = 16 * 1024;

/** The receiver's credentials are of no use in a log. */
const SECRET_HEADERS = new Set(["set-cookie", "set-cookie2"]);
const MASK = "(not kept)";

export function contentOf(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  body: Uint8Array,
): HttpContent {
  const kept = Object.entries(headers).map(([name, value = ""]) => [
    name,
    SECRET_HEADERS.has(name) ? MASK : withoutNul([value].flat().join(", ")),
  ]);
  return {
    headers: Object.fromEntries(kept),
    body: withoutNul(new TextDecoder().decode(body.subarray(0, KEPT_BYTES))),
    isCut: body.length > KEPT_BYTES,
  };
}

/** PostgreSQL cannot store NUL in text. */
function withoutNul(text: string): string {
  return text.replaceAll("\0", "\uFFFD");
}
