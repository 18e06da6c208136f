import { hash } from "node:crypto";
import type { Database, DatabaseList } from "@dbdepot/contract/v2/catalogue";
import type { FastifyReply } from "fastify";
import { LRUCache } from "lru-cache";
import { databaseToWire } from "../../domain/licences/database-wire.ts";
import type { Licence } from "../../domain/licences/licence.ts";
import { isVisible } from "../../domain/licences/standing.ts";
import type { Register } from "../../register/register.ts";
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
  const acceptedTerms = register.acceptedTerms(organizationId);
  let untilMs = Number.POSITIVE_INFINITY;
  for (const { family, versions } of register.families) {
    const licences = register.licences(organizationId, family.base);
    untilMs = Math.min(untilMs, nextChangeMs(licences, now));
    const listed = versions.filter((version) => register.isListed(version));
    if (listed.length > 0 && isVisible(family, licences)) {
      const buildOf = (id: string) => register.offer(id)?.build;
      databases.push(databaseToWire({ family, versions: listed, licences, acceptedTerms, buildOf }, now));
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
