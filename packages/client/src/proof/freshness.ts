import { type FreshnessText, type VerifiedFreshness, verifiedFreshness } from "@dbdepot/contract/v2/freshness-proof";
import { formatSeconds, formatTime } from "@dbdepot/terminal/format";
import { isRecord } from "../api/incoming.ts";
import { DbdepotError } from "../errors.ts";
import type { Freshness } from "./results.ts";
import { isExpired, type SeenManifest, type Trust, type TrustedKey } from "./trust.ts";

/** What a service or a mirror sent about the freshness of a database. */
export interface FreshnessResponse {
  /** Undefined if it is damaged. */
  text: FreshnessText | undefined;
  /** The clock of the service or of the mirror, if it says. */
  serviceTime: Date | undefined;
}

/** How far in the future a statement may be, because clocks differ. */
const CLOCK_SKEW_MAX_MS = 10 * 60_000;

interface Question {
  id: string;
  /** The newest manifest, which was verified. */
  manifest: { sequence: number; sha256: string };
  /** What was accepted before. */
  seen: SeenManifest | undefined;
  /** The keys that are trusted. */
  keys: readonly TrustedKey[];
  revoked: Trust["revoked_freshness_keys"];
  now: Date;
  /** The customer's own bound. */
  maxAgeMs: number | undefined;
}

export type Answer =
  | { freshness: Freshness; text: FreshnessText; revoked: readonly string[] }
  /** The service issues no statements, and never has. */
  | "none"
  | DbdepotError;

/** Decides whether a statement proves that the manifest is the newest one. */
export function judgeFreshness(response: FreshnessResponse | undefined, question: Question): Answer {
  const { id, seen, keys, revoked = [], now } = question;
  if (!response) {
    if (!seen?.freshness) return "none";
    return stale(question, response, "the service sends no statement of freshness any more");
  }
  const { text } = response;
  const valid = keys.filter((key) => !isExpired(key, now)).map((key) => ({ publicKey: key.public_key }));
  const verified = text && verifiedFreshness(text, valid);
  if (!text || !verified || verified.statement.id !== id) {
    return new DbdepotError("untrusted", `the statement of freshness of ${id} is not signed by a trusted key${KEPT}`);
  }
  const problem = problemOf(verified, question);
  if (problem) return stale(question, response, problem.why, problem);
  const { sequence, issued, valid_until } = verified.statement;
  return {
    freshness: { sequence, issued, valid_until },
    text,
    revoked: [...new Set([...revoked, ...verified.endorsement.revoked])],
  };
}

interface Problem {
  why: string;
  /** Whether another replica, or the next moment, may bring the right statement. */
  mayPass?: boolean;
  isClockLikely?: boolean;
}

function problemOf({ statement, endorsement, keyId }: VerifiedFreshness, question: Question): Problem | undefined {
  const { manifest, seen, revoked = [], now, maxAgeMs } = question;
  const { sequence, manifest_sha256: digest, issued, valid_until: until } = statement;
  if (revoked.includes(keyId))
    return { why: `its statement of freshness is signed with key ${keyId}, which was stolen` };
  const aheadMs = Date.parse(issued) - now.getTime();
  if (aheadMs > CLOCK_SKEW_MAX_MS) {
    return {
      why: `its statement of freshness is from ${formatTime(new Date(issued))}, ${formatMs(aheadMs)} in the future`,
      isClockLikely: true,
    };
  }
  if (sequence !== manifest.sequence) {
    return { why: `its statement of freshness is about manifest ${sequence}, not ${manifest.sequence}`, mayPass: true };
  }
  if (digest !== manifest.sha256)
    return { why: `its statement of freshness is about a different manifest ${sequence}` };
  if (seen?.freshness && Date.parse(issued) < Date.parse(seen.freshness.issued)) {
    return {
      why: `its statement of freshness is from ${formatTime(new Date(issued))}, older than one that was seen before`,
      mayPass: true,
    };
  }
  if (new Date(until) <= now) return { why: `its statement of freshness ended on ${formatTime(new Date(until))}` };
  if (new Date(endorsement.expires) <= now) {
    return { why: `the endorsement of freshness key ${keyId} ended on ${formatTime(new Date(endorsement.expires))}` };
  }
  const ageMs = now.getTime() - Date.parse(issued);
  if (maxAgeMs !== undefined && ageMs > maxAgeMs) {
    return { why: `its statement of freshness is ${formatMs(ageMs)} old, more than max_age allows` };
  }
  return undefined;
}

const KEPT = "; the file was not changed and stays in use";

/** Says since when nothing is known, and whether the clock of this machine is the likelier cause. */
function stale(
  { id, seen, now }: Question,
  response: FreshnessResponse | undefined,
  why: string,
  { mayPass = false, isClockLikely = false }: Partial<Problem> = {},
): DbdepotError {
  const last = seen?.freshness?.issued;
  const since = last
    ? `; nothing is known since ${formatTime(new Date(last))} (${formatMs(now.getTime() - Date.parse(last))} ago)`
    : "";
  return new DbdepotError(
    "stale",
    `${id} may be out of date: ${why}${since}; ${clockHint(now, response?.serviceTime, isClockLikely)}${KEPT}`,
    { retryable: mayPass },
  );
}

function clockHint(now: Date, serviceTime: Date | undefined, isClockLikely: boolean): string {
  const skewMs = serviceTime ? now.getTime() - serviceTime.getTime() : undefined;
  if (skewMs !== undefined && Math.abs(skewMs) > CLOCK_SKEW_MAX_MS) {
    const direction = skewMs > 0 ? "ahead of" : "behind";
    return `this machine's clock is ${formatMs(Math.abs(skewMs))} ${direction} the server's, which is the likelier cause: check it first`;
  }
  if (isClockLikely && skewMs === undefined) return "this machine's clock is probably behind: check it first";
  return skewMs === undefined
    ? "check this machine's clock, then tell your vendor"
    : "this machine's clock agrees with the server's, so tell your vendor";
}

function formatMs(durationMs: number): string {
  return formatSeconds(durationMs / 1000);
}

/** Undefined if it is not a statement with its signature and endorsement. */
export function readFreshness(document: unknown): FreshnessText | undefined {
  if (!isRecord(document) || !isRecord(document.endorsement)) return undefined;
  const { statement, signature, endorsement } = document;
  if (typeof statement !== "string" || typeof signature !== "string") return undefined;
  if (typeof endorsement.statement !== "string" || typeof endorsement.signature !== "string") return undefined;
  return {
    statement,
    signature,
    endorsement: { statement: endorsement.statement, signature: endorsement.signature },
  };
}
