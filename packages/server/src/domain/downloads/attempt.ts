import type { Outcome } from "@dbdepot/contract/v2/downloads";
import { maskKeys } from "../access/secret.ts";

/** `tables` are queries of tables with Delta Sharing. */
export type Api = "v1" | "v2" | "tables";

const ATTEMPT_TEXT_MAX_LENGTH = 64;
const USER_AGENT_MAX_LENGTH = 512;

/** One row of the download history. Refusals have one too. */
export interface Attempt {
  /** The id of the request. If a request made several attempts, only the first one has it. */
  id: string;
  api: Api;
  /** Null if the key does not resolve: then only operators see the attempt. */
  organizationId: string | null;
  keyId: string | null;
  datasetId: string;
  format: string;
  outcome: Outcome;
  /** The exact cause of a refusal, for the console. Null if it was granted. */
  cause: string | null;
  /** The size of the file or patch that was granted. */
  bytes: number | null;
  httpStatus: number;
  buildId: string | null;
  clientIp: string | null;
  userAgent: string | null;
  created: Date;
  /** Whether the family was open, so that no licence was needed. Absent in spools of earlier versions. */
  open: boolean;
  /** Whether a sample was requested. Absent in spools of earlier versions. */
  sample: boolean;
  /** Whether a patch, or changed rows, were granted instead of the file. Absent in spools of earlier versions. */
  patch: boolean;
  /**
   * The bytes that the API sent of a file it streamed. Null for links and refusals, whose transfers it does not see. Absent in
   * spools of earlier versions.
   */
  sentBytes: number | null;
  /**
   * Whether the response was a part of the file that limits count as a download. Absent in spools of earlier versions.
   */
  beginsDownload: boolean;
}

/** The properties of a request that the history records. `datasetId` and `format` are as they were sent. */
export interface AttemptRequest {
  id: string;
  api: Api;
  datasetId: string | undefined;
  format: string | undefined;
  sample: boolean;
  clientIp: string | null;
  userAgent: string | undefined;
}

export type AttemptResult = Pick<Attempt, "outcome" | "httpStatus"> &
  Partial<Pick<Attempt, "cause" | "bytes" | "buildId" | "open" | "patch" | "beginsDownload">> & {
    sentBytes?: number | undefined;
  };

export function newAttempt(
  request: AttemptRequest,
  who: Pick<Attempt, "organizationId" | "keyId">,
  result: AttemptResult,
  now: Date,
): Attempt {
  return {
    id: request.id,
    api: request.api,
    organizationId: who.organizationId,
    keyId: who.keyId,
    datasetId: cut(maskKeys(request.datasetId ?? ""), ATTEMPT_TEXT_MAX_LENGTH),
    format: cut(maskKeys(request.format ?? ""), ATTEMPT_TEXT_MAX_LENGTH),
    outcome: result.outcome,
    cause: result.cause ?? null,
    bytes: result.bytes ?? null,
    httpStatus: result.httpStatus,
    buildId: result.buildId ?? null,
    clientIp: request.clientIp,
    userAgent: request.userAgent === undefined ? null : cut(maskKeys(request.userAgent), USER_AGENT_MAX_LENGTH),
    created: now,
    open: result.open ?? false,
    sample: request.sample,
    patch: result.patch ?? false,
    sentBytes: result.sentBytes ?? null,
    beginsDownload: result.beginsDownload ?? false,
  };
}

/** Cutting may split a surrogate pair; half of one cannot be stored. */
function cut(text: string, maxLength: number): string {
  return text.slice(0, maxLength).toWellFormed();
}
