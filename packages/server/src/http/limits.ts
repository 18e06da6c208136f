import type { ErrorCode } from "@dbdepot/contract/shared/errors";
import { formatOf } from "@dbdepot/contract/shared/formats";
import type { FastifyReply } from "fastify";
import type { Api, Attempt } from "../domain/downloads/attempt.ts";
import type { CountedDownload } from "../domain/limits/counters.ts";
import { DOWNLOAD_STATUSES, LIMIT_REFUSALS, type LimitRefusal, retryAfterSeconds } from "../domain/limits/limits.ts";
import { within } from "../platform/primitives/within.ts";
import { type RequestedFile, refuseAttempt } from "./attempts.ts";
import type { DatabaseFile, PlannedResponse } from "./plugins/file-sending.ts";
import type { RequestContext } from "./route.ts";

/** The errors of routes that send files. A download may also have too many requests. */
export const LIMIT_ERRORS = [
  "RATE_LIMITED",
  "DOWNLOADS_USED_UP",
  "BYTES_USED_UP",
  "TOO_MANY_STREAMS",
] as const satisfies readonly ErrorCode[];

/** How long after a download parts of the same file continue it. */
const CONTINUED_MS = 24 * 60 * 60 * 1000;
const HISTORY_TIMEOUT_MS = 2000;

interface SentFile {
  organizationId: string | null;
  isSample?: boolean;
  /** The status that the response will have, and how many bytes it hands out. */
  status: number;
  bytes: number;
  /** Whether a part of the file is sent that counts as a download. */
  beginsDownload?: boolean;
  /** Whether the API sends the file itself. */
  isStream: boolean;
}

/** Counts a file for the limits of its organization before it is sent, or says why it exceeds one. */
export function claimFile(
  { services, request, now }: RequestContext,
  { organizationId, isSample = false, status, bytes, beginsDownload = false, isStream }: SentFile,
): CountedDownload | Promise<CountedDownload> {
  const wanted = {
    id: request.id,
    use:
      status < 400 && !isSample
        ? { bytes, isDownload: beginsDownload || DOWNLOAD_STATUSES.includes(status) }
        : undefined,
    isStream: isStream && status < 300 && request.method !== "HEAD",
  };
  return services.limits.claim(organizationId ?? "", wanted, now);
}

/**
 * Whether a part of a file counts as a download: if it begins with the first byte, or does not continue a recent download. Otherwise
 * everything but the first byte would be free. Without the database, it does not count.
 */
export async function beginsDownload(
  { services, now }: RequestContext,
  organizationId: string | null,
  { build, kind, patch }: DatabaseFile,
  { status, fromStart }: PlannedResponse,
): Promise<boolean> {
  if (status !== 206 || fromStart) return fromStart;
  if (!organizationId || services.register.limits(organizationId)?.downloads_per_day == null) return false;
  const wanted = { organizationId, format: formatOf(kind), buildId: build.id, patch: patch !== undefined };
  const finding = services.store.attempts.hasDownload(wanted, new Date(now.getTime() - CONTINUED_MS));
  return within(HISTORY_TIMEOUT_MS, finding).then(
    (hasDownload) => !hasDownload,
    () => false,
  );
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
