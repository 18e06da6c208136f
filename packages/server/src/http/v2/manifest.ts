import { hash } from "node:crypto";
import type { FastifyReply } from "fastify";
import type { Build } from "../../domain/builds/build.ts";
import { REFUSALS } from "../../domain/downloads/refusals.ts";
import type { ChainEntry } from "../../domain/manifests/manifest.ts";
import { freshnessToWire, signedManifestToWire, signingKeysToWire } from "../../domain/manifests/wire.ts";
import { sendError } from "../errors.ts";
import type { Document } from "../plugins/conditional-requests.ts";
import { parameter } from "../query.ts";
import type { KeyContext, RequestContext } from "../route.ts";
import { verdictFor } from "./verdict.ts";

const JSON_TYPE = "application/json; charset=utf-8";
const TEXT_TYPE = "text/plain; charset=utf-8";
const SEQUENCE = /^[1-9]\d{0,14}$/;

/** Sends a signed manifest as JSON, or one part of it as the file that minisign reads. */
export async function manifest(context: KeyContext): Promise<FastifyReply> {
  const verdict = await verdictFor(context, undefined);
  // Once the last build has been withdrawn, the newest manifest says so.
  const isReadable = verdict.granted || verdict.refusal === "not_published";
  const entry = isReadable ? await entryFor(context, verdict.granted ? verdict.build : undefined) : undefined;
  if (!entry) return sendError(context.reply, verdict.granted ? "NOT_SIGNED" : REFUSALS[verdict.refusal].rc);
  return context.reply.sendDocument(documentOf(entry, parameter(context.request, "part")));
}

/** `build` is undefined if the version has no build. */
async function entryFor(context: KeyContext, build: Build | undefined): Promise<ChainEntry | undefined> {
  const { services, request } = context;
  const { store, register } = services;
  const versionId = parameter(request, "id") ?? "";
  const { sequence, build: buildId } = request.query as Record<string, unknown>;
  const newest = register.manifest(versionId);
  // The register has the newest manifest of every version that has one.
  if (!newest) return undefined;
  if (sequence !== undefined) {
    const isNumber = typeof sequence === "string" && SEQUENCE.test(sequence);
    if (!isNumber) return undefined;
    return Number(sequence) === newest.sequence ? newest : store.manifests.bySequence(versionId, Number(sequence));
  }
  if (!build || buildId === undefined || newest.buildId === build.id) return newest;
  return store.manifests.byBuild(versionId, build.id);
}

function documentOf(entry: ChainEntry, part: string | undefined): Document {
  const { versionId, sequence, created, buildId } = entry;
  const [text, contentType] =
    part === "manifest"
      ? [entry.body, JSON_TYPE]
      : part === "signature"
        ? [entry.signature, TEXT_TYPE]
        : [`${JSON.stringify(signedManifestToWire(entry))}\n`, JSON_TYPE];
  const body = Buffer.from(text);
  return {
    body,
    contentType,
    etag: `"${versionId}-${sequence}${part === "manifest" || part === "signature" ? `-${part}` : ""}"`,
    modified: created,
    headers: {
      "last-modified": created.toUTCString(),
      "cache-control": "private, no-cache",
      ...(buildId !== null && { "x-build-id": buildId }),
      "repr-digest": `sha-256=:${hash("sha256", body, "base64")}:`,
    },
  };
}

/** Sends the newest statement that a manifest is the newest one. It comes from memory, so an outage does not end it. */
export async function freshness(context: KeyContext): Promise<FastifyReply> {
  const { services, request, reply } = context;
  const verdict = await verdictFor(context, undefined);
  const isReadable = verdict.granted || verdict.refusal === "not_published";
  const { register } = services;
  const id = parameter(request, "id") ?? "";
  const entry = isReadable ? register.freshness(id) : undefined;
  const key = entry && register.freshnessKey(entry.keyId);
  if (!entry || !key) {
    const isUnsigned = verdict.granted || (isReadable && register.manifest(id) !== undefined);
    return sendError(reply, isUnsigned ? "NOT_SIGNED" : REFUSALS[verdict.refusal].rc);
  }
  const part = parameter(request, "part");
  const [text, contentType] =
    part === "statement"
      ? [entry.body, JSON_TYPE]
      : part === "signature"
        ? [entry.signature, TEXT_TYPE]
        : [`${JSON.stringify(freshnessToWire(entry, key))}\n`, JSON_TYPE];
  const body = Buffer.from(text);
  return reply.sendDocument({
    body,
    contentType,
    etag: `"${hash("sha256", body).slice(0, 32)}"`,
    modified: entry.issued,
    headers: { "last-modified": entry.issued.toUTCString(), "cache-control": "private, no-cache" },
  });
}

/** Sends the public keys that verify this service's manifests. */
export function signingKeys({ services, reply }: RequestContext): FastifyReply {
  const keys = services.register.signingKeys;
  const modified = keys.at(-1)?.created;
  if (!modified) return sendError(reply, "NOT_SIGNED");
  const body = Buffer.from(`${JSON.stringify(signingKeysToWire(keys, services.register.freshnessKeys), null, 2)}\n`);
  return reply.sendDocument({
    body,
    contentType: JSON_TYPE,
    etag: `"${hash("sha256", body).slice(0, 32)}"`,
    modified,
    headers: { "cache-control": "public, max-age=300" },
  });
}
