import type { Database } from "@dbdepot/contract/catalogue";
import { isVisible } from "../../catalogue/visibility.ts";
import type { Licence } from "../../licences/licence.ts";
import { type FamilyStanding, standingOf } from "../../licences/standing.ts";
import type { FamilyEntry, Register } from "../../register/register.ts";
import type { Reply } from "../reply.ts";
import type { Visit } from "../route.ts";
import { ListBodies } from "./list-bodies.ts";
import { Scratch } from "./scratch.ts";

/** An organization's list stays as it is until something changes, or one of its licences begins or ends. */
const listBodies = new ListBodies();
const scratch = new Scratch();

/** The whole catalogue, with the standing that a download would find too. */
export function list({ parts: { register }, reply, organizationId, now }: Visit): Reply {
  reply.header("cache-control", "private, no-cache").header("content-type", "application/json; charset=utf-8");
  const kept = listBodies.get(register, organizationId, now);
  if (kept) return reply.send(kept);
  const page = scratch.take();
  writeList(page, register, organizationId, now);
  const bytes = page.bytes();
  if (listBodies.wants(organizationId)) listBodies.keep(organizationId, Buffer.from(bytes), now);
  return reply.send(bytes, () => scratch.giveBack(page));
}

function writeList(page: Page, register: Register, organizationId: string, now: Date): void {
  let separator = '{"databases":[';
  for (const entry of register.families) {
    const licences = register.licences(organizationId, entry.family.base);
    if (entry.versions.length === 0 || !isVisible(entry.family, licences)) continue;
    const { start, end } = familyText(entry);
    page.addText(separator);
    page.add(start);
    page.addText(standingText(standingOf(licences, now)));
    page.add(end);
    separator = ",";
  }
  page.addText(separator === "," ? "]}" : '{"databases":[]}');
}

type Page = ReturnType<Scratch["take"]>;

// The list is put together from bytes that are written once: all of a family but the standing is the same for
// everybody. Written anew for each request, 100 families of 3 versions took several times as long.

interface FamilyText {
  versions: FamilyEntry["versions"];
  start: Buffer;
  end: Buffer;
}

const familyTexts = new WeakMap<FamilyEntry, FamilyText>();
const NO_LICENCE = fieldsOf({ redistribution: null, starts: null, expires: null });

function familyText(entry: FamilyEntry): FamilyText {
  const { family, versions } = entry;
  let text = familyTexts.get(entry);
  if (!text || text.versions !== versions) {
    const summary = versions.at(-1)?.summary ?? "";
    const listed = versions.map(({ id, number, summary, formats }) => ({ id, version: number, summary, formats }));
    const start = Buffer.from(`{${fieldsOf({ base: family.base, name: family.name, summary })},`);
    text = { versions, start, end: Buffer.from(`,${fieldsOf({ versions: listed })}}`) };
    familyTexts.set(entry, text);
  }
  return text;
}

function standingText({ standing, licence }: FamilyStanding): string {
  return `"standing":"${standing}",${licence ? licenceText(licence) : NO_LICENCE}`;
}

function licenceText({ redistribution, starts, expires }: Licence): string {
  return fieldsOf({ redistribution, starts: starts.toISOString(), expires: expires?.toISOString() ?? null });
}

/** Some fields of a database, as they stand between its braces. */
function fieldsOf(fields: Partial<Database>): string {
  return JSON.stringify(fields).slice(1, -1);
}
