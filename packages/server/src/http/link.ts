import type { LinkTerms, ObjectKey } from "../domain/builds/object-store.ts";
import type { KeyContext } from "./route.ts";

/** A link to an object for the caller, at the origin that is nearest to its organization or to the client. */
export function linkFor(
  { services, request, organizationId, now }: KeyContext,
  key: ObjectKey,
  names: Pick<LinkTerms, "filename" | "contentType">,
  ttlSeconds = services.linkTtlSeconds,
): string {
  const { objects, register, linkRegionHeader } = services;
  // Only a trusted proxy adds the client's address behind its own.
  const isProxied = (request.ips?.length ?? 0) > 1;
  const named = linkRegionHeader !== "" && isProxied ? request.headers[linkRegionHeader] : undefined;
  const region = register.linkRegion(organizationId) ?? (typeof named === "string" ? named : undefined);
  return objects.link(key, { ...names, ttlSeconds, region, now });
}
