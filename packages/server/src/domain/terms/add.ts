import { hash } from "node:crypto";
import {
  TERMS_MAX_BYTES,
  TERMS_NAME_MAX_LENGTH,
  TERMS_NAME_PATTERN,
  TERMS_TITLE_MAX_LENGTH,
} from "@dbdepot/contract/operator/terms";
import { invalid, notFound } from "../../platform/primitives/faults.ts";
import { organizationIdOf } from "../access/find-organization.ts";
import { record } from "../audit/audit.ts";
import type { Operation, Tables } from "../store.ts";
import type { AcceptanceFilter } from "./store.ts";
import { parseTermsId, type Terms, termsId } from "./terms.ts";

const NAME = new RegExp(TERMS_NAME_PATTERN);
/** Line breaks, tabs and form feeds are fine. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it finds them.
const CONTROL_CHARACTER = /[\u0000-\u0008\u000B\u000E-\u001F\u007F]/;

/** Adds a document or its next version, unless the newest version has the same text. */
export async function addTerms(
  operation: Operation,
  request: { name: string; title: string; text: string },
): Promise<{ terms: Terms; isNew: boolean }> {
  const name = requireName(request.name);
  const title = requireTitle(request.title);
  const { text, sizeBytes } = requireText(request.text);
  const sha256 = hash("sha256", text);
  return operation.store.change(async (tables) => {
    const newest = await tables.terms.find({ name, version: undefined });
    if (newest?.sha256 === sha256) return { terms: newest, isNew: false };
    const version = (newest?.version ?? 0) + 1;
    const id = termsId(name, version);
    const terms: Terms = { id, name, version, title, text, sizeBytes, sha256, created: operation.now };
    await tables.terms.insert(terms);
    const { text: _, ...after } = terms;
    await record(tables, operation, { action: "terms.added", subject: id, after });
    return { terms, isNew: true };
  });
}

/** Finds a version like data-licence@2, or the newest one of a name. */
export async function requireTerms(tables: Pick<Tables, "terms">, idOrName: string): Promise<Terms> {
  const parsed = parseTermsId(idOrName);
  const terms = parsed && (await tables.terms.find(parsed));
  if (!terms) throw notFound(`there are no terms "${idOrName}"; "terms list" shows all of them`);
  return terms;
}

/** Looks up what operators filter acceptances by: a version, or a name for all its versions. */
export async function acceptanceFilter(
  tables: Pick<Tables, "organizations" | "terms">,
  { org, terms }: { org?: string | undefined; terms?: string | undefined },
): Promise<AcceptanceFilter> {
  if (terms !== undefined) await requireTerms(tables, terms);
  return {
    organizationId: await organizationIdOf(tables, org),
    terms: terms === undefined ? undefined : parseTermsId(terms),
  };
}

function requireName(name: string): string {
  // "none" removes the terms of a licence on the command line.
  if (!NAME.test(name) || name === "none" || name.length > TERMS_NAME_MAX_LENGTH) {
    throw invalid(
      `"${name}" is not a valid name for terms: use up to ${TERMS_NAME_MAX_LENGTH} lower-case letters and digits, with single hyphens in between, like data-licence`,
    );
  }
  return name;
}

function requireTitle(text: string): string {
  const title = text.trim();
  if (title === "" || title.length > TERMS_TITLE_MAX_LENGTH || /\p{Cc}/u.test(title) || !title.isWellFormed()) {
    throw invalid(`the title of terms must be a line of 1 to ${TERMS_TITLE_MAX_LENGTH} characters`);
  }
  return title;
}

/** The text is stored as it was sent, because its digest is part of every acceptance. */
function requireText(text: string): { text: string; sizeBytes: number } {
  const sizeBytes = Buffer.byteLength(text);
  if (text.trim() === "") throw invalid("the text of the terms is empty");
  if (sizeBytes > TERMS_MAX_BYTES) {
    throw invalid(`the text of the terms has ${sizeBytes} bytes: at most ${TERMS_MAX_BYTES} are allowed`);
  }
  if (CONTROL_CHARACTER.test(text) || !text.isWellFormed()) {
    throw invalid("the text of the terms must be plain text or Markdown in UTF-8: it contains control characters");
  }
  return { text, sizeBytes };
}
