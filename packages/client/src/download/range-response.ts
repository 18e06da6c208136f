import type { HttpResponse } from "../http/http.ts";

/** How to handle a response to a request for the bytes from a position to the end of the file. */
export type RangeResponse =
  /** The body starts at the requested byte. */
  | { type: "content"; totalBytes: number | null }
  /** The response does not continue the received bytes. */
  | { type: "start_over" }
  /** The link is invalid or has expired. */
  | { type: "link_expired" }
  | { type: "redirect"; location: string }
  | { type: "error" };

const LINK_EXPIRED = [400, 401, 403, 404, 410];
const REDIRECTS = [301, 302, 303, 307, 308];

export function classifyResponse(response: HttpResponse, fromByte: number): RangeResponse {
  const { status } = response;
  if (status === 206) return partialContent(response, fromByte);
  if (status === 200 && fromByte === 0) {
    return { type: "content", totalBytes: byteCount(response.header("content-length")) };
  }
  if (status === 200 || status === 416) return { type: "start_over" };
  if (LINK_EXPIRED.includes(status)) return { type: "link_expired" };
  const location = response.header("location");
  if (REDIRECTS.includes(status) && location !== null) return { type: "redirect", location };
  return { type: "error" };
}

function partialContent(response: HttpResponse, fromByte: number): RangeResponse {
  const [, first, total] = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(response.header("content-range") ?? "") ?? [];
  if (first !== undefined && Number(first) !== fromByte) return { type: "start_over" };
  return { type: "content", totalBytes: byteCount(total ?? null) };
}

function byteCount(text: string | null): number | null {
  return text !== null && /^\d+$/.test(text) ? Number(text) : null;
}
