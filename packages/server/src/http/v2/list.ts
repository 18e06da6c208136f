import { hash } from "node:crypto";
import { sampleOf } from "@dbdepot/contract/shared/formats";
import { type Database, type DatabaseList, licenseTypeOf } from "@dbdepot/contract/v2/catalogue";
import type { FastifyReply } from "fastify";
import { LRUCache } from "lru-cache";
import type { Build } from "../../domain/builds/build.ts";
import { isVisible } from "../../domain/downloads/decide.ts";
import type { Licence } from "../../domain/licences/licence.ts";
import { standingOf } from "../../domain/licences/standing.ts";
import { termsToAccept } from "../../domain/terms/terms.ts";
import type { FamilyEntry, Register } from "../../register/register.ts";
import type { Document } from "../plugins/conditional-requests.ts";
import type { KeyContext } from "../route.ts";

/** Organizations whose lists are kept in memory. */
const LISTS_CACHED = 1000;

interface CachedList {
  document: Document;
  revision: number;
  /** The list is the same from this time until a licence starts or ends. */
  fromMs: number;
  untilMs: number;
}

const caches = new WeakMap<Register, LRUCache<string, CachedList>>();

/** The whole catalogue, with the standing that a download is decided by. Clients can revalidate it by its ETag. */
export async function list({ services, reply, organizationId, now }: KeyContext): Promise<FastifyReply> {
  const { register } = services;
  const nowMs = now.getTime();
  const cache = caches.get(register) ?? new LRUCache<string, CachedList>({ max: LISTS_CACHED });
  caches.set(register, cache);
  let cached = cache.get(organizationId);
  if (!cached || cached.revision !== register.revision || nowMs < cached.fromMs || nowMs >= cached.untilMs) {
    cached = listFor(register, organizationId, now);
    cache.set(organizationId, cached);
  }
  return reply.sendDocument(cached.document);
}

function listFor(register: Register, organizationId: string, now: Date): CachedList {
  const databases: Database[] = [];
  const accepted = register.acceptedTerms(organizationId);
  let untilMs = Number.POSITIVE_INFINITY;
  for (const { family, versions } of register.families) {
    const licences = register.licences(organizationId, family.base);
    untilMs = Math.min(untilMs, nextChangeMs(licences, now));
    const listed = versions.filter((version) => register.isListed(version));
    if (listed.length > 0 && isVisible(family, licences)) {
      const entry = toWire({ family, versions: listed }, licences, now, (id) => register.offer(id)?.build);
      const terms_to_accept = family.open ? null : termsToAccept(licences, accepted, now);
      databases.push({ ...entry, terms_to_accept });
    }
  }
  const body = Buffer.from(`${JSON.stringify({ databases } satisfies DatabaseList)}\n`);
  const document: Document = {
    body,
    contentType: "application/json; charset=utf-8",
    etag: `"${hash("sha256", body, "base64url")}"`,
    headers: { "cache-control": "private, no-cache" },
  };
  return { document, revision: register.revision, fromMs: now.getTime(), untilMs };
}

/** When one of the licences next starts or ends. */
function nextChangeMs(licences: readonly Licence[], now: Date): number {
  const times = licences.flatMap(({ starts, expires }) => [starts.getTime(), expires?.getTime() ?? Infinity]);
  return Math.min(...times.filter((time) => time > now.getTime()));
}

function toWire(
  { family, versions }: FamilyEntry,
  licences: readonly Licence[],
  now: Date,
  buildOf: (versionId: string) => Build | undefined,
): Omit<Database, "terms_to_accept"> {
  const { standing, licence } = standingOf(licences, now);
  // A licence that has not begun grants nothing, so its terms are not shown.
  const shown = standing === "unlicensed" ? undefined : licence;
  return {
    base: family.base,
    name: family.name,
    summary: versions.at(-1)?.summary ?? "",
    standing,
    redistribution: shown?.redistribution ?? null,
    starts: shown?.starts.toISOString() ?? null,
    expires: shown?.expires?.toISOString() ?? null,
    versions: versions.map(({ id, number, summary, formats }) => ({
      id,
      version: number,
      summary,
      formats,
      sample_formats: formats.filter((format) => buildOf(id)?.files[sampleOf(format)]),
    })),
    license_type: shown ? licenseTypeOf(shown.redistribution) : null,
    renews_at: shown?.renewsAt?.toISOString() ?? null,
    notice_due_at: shown?.noticeDueAt?.toISOString() ?? null,
    open: family.open,
  };
}
