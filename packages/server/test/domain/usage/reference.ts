import type { Attempt } from "../../../src/domain/downloads/attempt.ts";
import type { UsageTotals } from "../../../src/domain/usage/usage.ts";

/** The totals of "organization day database format", computed attempt by attempt. `databases` are those that everybody can see. */
export function referenceTotals(attempts: readonly Attempt[], databases: readonly string[]): Map<string, UsageTotals> {
  const days = new Map<string, Attempt[]>();
  const seen = new Set<string>();
  const firsts = new Set<string>();
  const unique = [...new Map(attempts.map((attempt) => [attempt.id, attempt])).values()];
  for (const attempt of unique.toSorted((one, other) => one.created.getTime() - other.created.getTime())) {
    if (attempt.sample || attempt.organizationId === null) continue;
    const hasFormat = ["csvgz", "mmdb"].includes(attempt.format) || attempt.api === "tables";
    const isKnown = databases.includes(attempt.datasetId) && hasFormat;
    const name = isKnown ? `${attempt.datasetId} ${attempt.format}` : " ";
    const key = `${attempt.organizationId} ${attempt.created.toISOString().slice(0, 10)} ${name}`;
    days.set(key, [...(days.get(key) ?? []), attempt]);
    const build = `${attempt.organizationId} ${name} ${attempt.buildId}`;
    if (attempt.outcome === "ok" && !seen.has(build)) {
      seen.add(build);
      firsts.add(attempt.id);
    }
  }
  return new Map([...days].map(([key, ofDay]) => [key, totalsOf(ofDay, firsts)]));
}

function totalsOf(attempts: readonly Attempt[], firsts: ReadonlySet<string>): UsageTotals {
  const granted = attempts.filter(({ outcome }) => outcome === "ok");
  const firstDownloads = granted.filter(({ id }) => firsts.has(id)).length;
  return {
    firstDownloads,
    repeats: granted.length - firstDownloads,
    refused: attempts.length - granted.length,
    bytes: granted.reduce((sum, { bytes, sentBytes }) => sum + (sentBytes ?? bytes ?? 0), 0),
    // These builds have no files.
    savedBytes: 0,
    keys: new Set(attempts.flatMap(({ keyId }) => keyId ?? [])).size,
    addresses: new Set(attempts.flatMap(({ clientIp }) => clientIp ?? [])).size,
  };
}
