import type { Database, Download, Format, Identity, LimitUse } from "../../api/wire.gen.ts";
import type { DbdepotClient } from "../../client.ts";
import { DbdepotError } from "../../errors.ts";
import { isDownloadable } from "../downloadable.ts";
import { adviceInDoctor, describe } from "../explanation.ts";
import { preferredFormat } from "../formats.ts";

const RECENT = 5;
/** Older attempts would need many requests. */
const RECENT_DAYS = 30;

interface Verdict {
  granted: boolean;
  reason: string;
  advice: string | null;
}

export interface Explanation extends Verdict {
  key: Pick<Identity, "name" | "key_prefix" | "scopes" | "allowed_cidrs" | "expires" | "org_name"> | null;
  recent_refusals: Download[];
}

/** Makes the same checks as the service, in the same order, with information that customers can read. */
export async function explainRefusal(
  client: DbdepotClient,
  wanted: { id: string; format: Format | undefined },
  signal: AbortSignal,
): Promise<Explanation> {
  let identity: Identity | undefined;
  try {
    identity = await client.identity({ signal });
    const families = await client.list({ signal });
    const verdict = catalogueVerdict(families, wanted) ?? (await buildVerdict(client, wanted, signal));
    return { ...verdict, key: keyOf(identity), recent_refusals: await recentRefusals(client, wanted.id, signal) };
  } catch (error) {
    if (!(error instanceof DbdepotError) || error.kind !== "unauthorized") throw error;
    // The history needs a valid key too.
    return { granted: false, ...explained(error), key: keyOf(identity), recent_refusals: [] };
  }
}

function catalogueVerdict(families: Database[], { id, format }: { id: string; format: Format | undefined }) {
  const family = families.find(({ versions }) => versions.some((version) => version.id === id));
  const version = family?.versions.find((each) => each.id === id);
  if (!family || !version) return refused(`there is no database "${id}" in your catalogue`, suggestion(families, id));
  if (!isDownloadable(family)) {
    return family.standing === "expired"
      ? refused(`the licence for ${family.base} ended on ${family.expires}`, "ask your vendor to renew it")
      : refused(`your organization has no licence for ${family.base}`, "ask your vendor for a licence");
  }
  if (family.terms_to_accept) {
    return refused(
      `the licence for ${family.base} requires the terms ${family.terms_to_accept}, which your organization has not accepted`,
      "ask an admin of your organization to accept them in the console, under Terms",
    );
  }
  if (format && !version.formats.includes(format)) {
    return refused(`${id} is not built as ${format}`, `use ${version.formats.join(" or ")}`);
  }
  return undefined;
}

async function buildVerdict(
  client: DbdepotClient,
  { id, format }: { id: string; format: Format | undefined },
  signal: AbortSignal,
): Promise<Verdict> {
  try {
    const build = await client.metadata(id, { signal });
    const bytes = build.changed ? (build.metadata.size[format ?? preferredFormat(build.metadata)] ?? 0) : 0;
    const granted = { granted: true, reason: "a download would be granted now", advice: null };
    return limitVerdict(await client.limits({ signal }), bytes) ?? granted;
  } catch (error) {
    if (!(error instanceof DbdepotError) || error.kind === "unauthorized") throw error;
    return { granted: false, ...explained(error) };
  }
}

/** Limits on requests and streams are not considered, because they allow a download seconds later. */
function limitVerdict(limits: LimitUse[], bytes: number): Verdict | undefined {
  const more: Partial<Record<LimitUse["limit"], number>> = { downloads_per_day: 1, bytes_per_month: bytes };
  const exceeded = limits.find(({ limit, used, allowed }) => (used ?? 0) + (more[limit] ?? 0) > allowed);
  if (!exceeded) return undefined;
  const { limit, used, allowed, resets } = exceeded;
  return refused(
    `the limit ${limit} of your organization would be exceeded: ${used} of ${allowed} are used`,
    `wait until ${resets}, or ask your vendor for a higher limit`,
  );
}

function suggestion(families: Database[], id: string): string {
  const family = families.find(({ base }) => base === id || id.startsWith(`${base}_v`));
  const ids = (family ? [family] : families).flatMap(({ versions }) => versions.map((version) => version.id));
  return ids.length > 0 ? `use one of these ids: ${ids.join(", ")}` : "ask your vendor which databases you can see";
}

async function recentRefusals(client: DbdepotClient, database: string, signal: AbortSignal): Promise<Download[]> {
  const since = new Date(Date.now() - RECENT_DAYS * 24 * 60 * 60 * 1000);
  const refusals: Download[] = [];
  for await (const attempt of client.downloads({ database, since, signal })) {
    if (attempt.outcome !== "ok") refusals.push(attempt);
    if (refusals.length === RECENT) break;
  }
  return refusals;
}

function keyOf(identity: Identity | undefined): Explanation["key"] {
  if (!identity) return null;
  const { name, key_prefix, scopes, allowed_cidrs, expires, org_name } = identity;
  return { name, key_prefix, scopes, allowed_cidrs, expires, org_name };
}

function explained(error: DbdepotError): Pick<Verdict, "reason" | "advice"> {
  return { reason: describe(error), advice: adviceInDoctor(error) };
}

function refused(reason: string, advice: string): Verdict {
  return { granted: false, reason, advice };
}
