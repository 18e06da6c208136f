import { hash } from "node:crypto";
import type { FastifyReply } from "fastify";
import type { Build } from "../../domain/builds/build.ts";
import type { Version } from "../../domain/catalogue/version.ts";
import { decide } from "../../domain/downloads/decide.ts";
import type { KeyContext } from "../route.ts";

const ENTRIES_MAX = 50;

interface Entry {
  version: Version;
  build: Build;
  published: Date;
}

/** The current builds of the databases that the organization can download, newest first, for feed readers. */
export async function feed(context: KeyContext): Promise<FastifyReply> {
  const { services, reply } = context;
  const entries = entriesOf(context);
  const body = Buffer.from(atomOf(entries, services.console.publicUrl(), services.console.brand.name));
  return reply.sendDocument({
    body,
    contentType: "application/atom+xml; charset=utf-8",
    etag: `"${hash("sha256", body, "base64url")}"`,
    modified: entries[0]?.published ?? new Date(0),
    headers: { "cache-control": "private, no-cache" },
  });
}

function entriesOf({ services, organizationId, now }: KeyContext): Entry[] {
  const { register } = services;
  const acceptedTerms = register.acceptedTerms(organizationId);
  const entries: Entry[] = [];
  for (const { family, versions } of register.families) {
    const licences = register.licences(organizationId, family.base);
    for (const { id } of versions) {
      // The question is the same as for metadata, which covers all formats.
      const question = { licences, acceptedTerms, format: undefined, sample: false, pinned: false, now };
      const offer = register.offer(id);
      const verdict = decide(offer, question);
      if (!offer || !verdict.granted) continue;
      const { build } = verdict;
      entries.push({ version: offer.version, build, published: build.published ?? build.created });
    }
  }
  entries.sort((one, other) => other.published.getTime() - one.published.getTime());
  return entries.slice(0, ENTRIES_MAX);
}

/** RFC 4287. Links never contain the key. */
function atomOf(entries: readonly Entry[], publicUrl: string, vendor: string): string {
  const self = `${publicUrl}/api/v2/feed.atom`;
  const updated = entries[0]?.published ?? new Date(0);
  return `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
  <id>${escapeXml(self)}</id>
  <title>${escapeXml(`${vendor}: database builds`)}</title>
  <updated>${updated.toISOString()}</updated>
  <author><name>${escapeXml(vendor)}</name></author>
  <link rel="self" type="application/atom+xml" href="${escapeXml(self)}"/>
${entries.map((entry) => entryOf(entry, publicUrl)).join("")}</feed>
`;
}

function entryOf({ version, build, published }: Entry, publicUrl: string): string {
  return `  <entry>
    <id>urn:uuid:${build.id}</id>
    <title>${escapeXml(`${version.id} of ${build.updated}`)}</title>
    <updated>${published.toISOString()}</updated>
    <category term="${escapeXml(version.id)}"/>
    <link rel="alternate" type="text/html" href="${escapeXml(`${publicUrl}/console/databases/${version.base}`)}"/>
    <summary>${escapeXml(`${version.summary}: ${build.entries} rows`)}</summary>
  </entry>
`;
}

/** Escapes markup, and removes the control characters that XML 1.0 cannot contain. */
function escapeXml(text: string): string {
  return text
    .toWellFormed()
    .replace(/[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, "")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
