import type { Explanation } from "@dbdepot/contract/operator/why";
import { isFormat } from "@dbdepot/contract/shared/formats";
import { notFound } from "../../platform/primitives/faults.ts";
import { KEY_PROBLEMS, type KeyProblem } from "../access/authenticate-key.ts";
import { LIMIT_REFUSALS, type LimitRefusal } from "../limits/limits.ts";
import type { Store } from "../store.ts";
import type { Attempt } from "./attempt.ts";
import type { DownloadRefusal } from "./decide.ts";
import { REFUSALS } from "./refusals.ts";
import { explain } from "./why.ts";

/** Says how a request was answered, and explains how it would be answered now. */
export async function explainRequest(store: Store, requestId: string, now: Date): Promise<Explanation> {
  const id = requestId.trim().toLowerCase();
  const [attempt] = await store.attempts.list({ id, limit: 1 });
  if (!attempt) {
    throw notFound(
      `no download has the request id "${requestId}": the history has downloads only. Search the log for other requests`,
    );
  }
  const { organizationId, keyId, api, datasetId, format, sample } = attempt;
  const request = { name: "request", finding: findingOf(attempt) };
  // v1 keys don't depend on licences, and an unknown key has no owner, so only the answer itself can be shown.
  if (organizationId === null || api === "v1") return answerOf(attempt, request);
  const explanation = await explain(store, {
    organization: organizationId,
    databaseId: datasetId,
    // Tables are written from the csv.gz.
    format: api === "tables" ? "csvgz" : isFormat(format) ? format : undefined,
    sample,
    key: keyId ?? undefined,
    now,
  });
  return { ...explanation, facts: [request, ...explanation.facts] };
}

function answerOf(attempt: Attempt, request: Explanation["facts"][number]): Explanation {
  const granted = attempt.outcome === "ok";
  const reason = granted ? "the download worked" : wordsOf(attempt);
  return { granted, status: attempt.httpStatus, rc: null, reason, facts: [request], steps: [] };
}

function findingOf(attempt: Attempt): string {
  const { created, api, datasetId, format, outcome, httpStatus, clientIp } = attempt;
  const answer = outcome === "ok" ? "granted" : `refused, because ${wordsOf(attempt)}`;
  return `${created.toISOString()}, ${api} download of ${datasetId || "nothing"} as ${format || "no format"} from ${clientIp ?? "an unknown address"}: ${httpStatus}, ${answer}`;
}

function wordsOf({ cause, outcome }: Attempt): string {
  return (
    KEY_PROBLEMS[cause as KeyProblem] ??
    REFUSALS[cause as DownloadRefusal]?.words ??
    LIMIT_REFUSALS[cause as LimitRefusal]?.words ??
    `the outcome was ${cause ?? outcome}`
  );
}
