import type { OperatorAttempt } from "@dbdepot/contract/operator/history";
import type { Download } from "@dbdepot/contract/v2/downloads";
import type { Tables } from "../store.ts";
import type { Attempt } from "./attempt.ts";

/** An attempt as its organization sees it. */
export function attemptToWire(attempt: Attempt): Download {
  return {
    dataset_id: attempt.datasetId,
    format: attempt.format,
    outcome: attempt.outcome,
    bytes: attempt.bytes,
    http_status: attempt.httpStatus,
    apikey_id: attempt.keyId,
    client_ip: attempt.clientIp,
    user_agent: attempt.userAgent,
    created: attempt.created.toISOString(),
    open: attempt.open,
    sample: attempt.sample,
    patch: attempt.patch,
  };
}

/** An attempt with the name of its key. */
export type NamedAttempt = Attempt & { keyName: string | null };

export async function withKeyNames(
  { keys }: Pick<Tables, "keys">,
  attempts: readonly Attempt[],
): Promise<NamedAttempt[]> {
  const ids = new Set(attempts.flatMap(({ keyId }) => keyId ?? []));
  const names = await keys.names([...ids]);
  return attempts.map((attempt) => ({ ...attempt, keyName: names.get(attempt.keyId ?? "") ?? null }));
}

/** An attempt as operators see it: they also learn whose it was and why it was refused. */
export function attemptToOperatorWire(attempt: NamedAttempt): OperatorAttempt {
  const { open, sample, patch, ...first } = attemptToWire(attempt);
  return {
    id: attempt.id,
    api: attempt.api,
    organization_id: attempt.organizationId,
    ...first,
    cause: attempt.cause,
    build_id: attempt.buildId,
    open,
    sample,
    key_name: attempt.keyName,
    patch,
  };
}
