import type { Incoming } from "../transport/transport.ts";

/** What the answer to a request from some byte on means. */
export type Reading =
  /** The bytes from there on. */
  | { gives: "rest"; totalBytes: number | null }
  /** All bytes from the first on, although others were asked for. */
  | { gives: "all"; totalBytes: number | null }
  /** There is nothing from there on. */
  | { gives: "nothing" }
  /** The link is not valid, or not any more. */
  | { gives: "no_access" }
  | { gives: "elsewhere"; location: string }
  | { gives: "refusal" };

const LINK_LAPSED = [400, 401, 403, 404, 410];
const REDIRECTS = [301, 302, 303, 307, 308];

export function readAnswer(answer: Incoming, fromByte: number): Reading {
  const { status } = answer;
  if (status === 206) return readPart(answer, fromByte);
  if (status === 200) {
    const totalBytes = lengthOf(answer.header("content-length"));
    return { gives: fromByte === 0 ? "rest" : "all", totalBytes };
  }
  if (status === 416) return { gives: "nothing" };
  if (LINK_LAPSED.includes(status)) return { gives: "no_access" };
  const location = answer.header("location");
  if (REDIRECTS.includes(status) && location !== null) return { gives: "elsewhere", location };
  return { gives: "refusal" };
}

/** A part that begins elsewhere would be written to the wrong place: then nothing of it is of use. */
function readPart(answer: Incoming, fromByte: number): Reading {
  const [, first, total] = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(answer.header("content-range") ?? "") ?? [];
  if (first !== undefined && Number(first) !== fromByte) return { gives: "nothing" };
  return { gives: "rest", totalBytes: lengthOf(total ?? null) };
}

function lengthOf(text: string | null): number | null {
  return text !== null && /^\d+$/.test(text) ? Number(text) : null;
}
