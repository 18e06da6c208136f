import type { ErrorCode } from "@dbdepot/contract/shared/errors";
import type { FastifyReply } from "fastify";
import type { Api, Attempt } from "../domain/downloads/attempt.ts";
import type { Claim } from "../domain/limits/counters.ts";
import { DOWNLOAD_STATUSES, LIMIT_REFUSALS, type LimitRefusal, retryAfterSeconds } from "../domain/limits/limits.ts";
import { type RequestedFile, refuseAttempt } from "./attempts.ts";
import type { RequestContext } from "./route.ts";

/** The errors of routes that send files. A download may also have too many requests. */
export const LIMIT_ERRORS = [
  "RATE_LIMITED",
  "DOWNLOADS_USED_UP",
  "BYTES_USED_UP",
  "TOO_MANY_STREAMS",
] as const satisfies readonly ErrorCode[];

interface SentFile {
  organizationId: string | null;
  isSample?: boolean;
  /** The status that the response will have, and how many bytes it hands out. */
  status: number;
  bytes: number;
  /** Whether the API sends the file itself. */
  isStream: boolean;
}

/** Counts a file for the limits of its organization before it is sent, or says why it exceeds one. */
export function claimFile(
  { services, request, now }: RequestContext,
  { organizationId, isSample = false, status, bytes, isStream }: SentFile,
): Claim | Promise<Claim> {
  const wanted = {
    use: status < 400 && !isSample ? { bytes, isDownload: DOWNLOAD_STATUSES.includes(status) } : undefined,
    isStream: isStream && status < 300 && request.method !== "HEAD",
  };
  return services.limits.claim(organizationId ?? "", wanted, now);
}

/** Records a download that would exceed a limit, then responds with 429. */
export function refuseLimited(
  context: RequestContext,
  api: Api,
  requester: Pick<Attempt, "organizationId" | "keyId">,
  cause: LimitRefusal,
  requested?: RequestedFile,
): Promise<FastifyReply> {
  const { services, reply, now } = context;
  const { limit, rc, outcome } = LIMIT_REFUSALS[cause];
  services.metrics.limitRefusals.inc({ limit });
  reply.header("retry-after", String(retryAfterSeconds(cause, now)));
  return refuseAttempt(context, api, requester, { rc, outcome, cause }, requested);
}
