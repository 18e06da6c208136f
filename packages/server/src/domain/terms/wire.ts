import type { OwnTerms } from "@dbdepot/contract/console/terms";
import type { OperatorTerms, Acceptance as WireAcceptance } from "@dbdepot/contract/operator/terms";
import type { Tables } from "../store.ts";
import type { ListedTerms, NamedAcceptance } from "./store.ts";
import type { Acceptance, Terms, TermsSummary } from "./terms.ts";

/** Versions as operators see them, with who added them. */
export async function listedTerms(
  { audit }: Pick<Tables, "audit">,
  terms: readonly ListedTerms[],
): Promise<OperatorTerms[]> {
  const actors = await audit.actorsOf(
    "terms.added",
    terms.map(({ id }) => id),
  );
  return terms.map((each) => ({
    ...fieldsOf(each),
    size_bytes: each.sizeBytes,
    created_by: actors.get(each.id) ?? null,
    acceptances: each.acceptances,
  }));
}

/** One version as operators see it. */
export async function termsToWire(tables: Pick<Tables, "audit" | "terms">, terms: Terms): Promise<OperatorTerms> {
  const { items } = await tables.terms.acceptances({ terms }, {});
  const [wire] = await listedTerms(tables, [{ ...terms, acceptances: items.length }]);
  return wire as OperatorTerms;
}

export function acceptanceToWire(acceptance: NamedAcceptance): WireAcceptance {
  return {
    id: acceptance.id,
    organization_id: acceptance.organizationId,
    organization_name: acceptance.organizationName,
    terms: acceptance.termsId,
    sha256: acceptance.sha256,
    account_id: acceptance.accountId,
    name: acceptance.name,
    email: acceptance.email,
    address: acceptance.address,
    created: acceptance.created.toISOString(),
  };
}

/** A version as the people of an organization see it. */
export function termsToOwnWire(
  terms: TermsSummary,
  databases: readonly string[],
  acceptance: Acceptance | undefined,
): OwnTerms {
  return {
    ...fieldsOf(terms),
    databases: [...databases],
    acceptance: acceptance
      ? { name: acceptance.name, email: acceptance.email, created: acceptance.created.toISOString() }
      : null,
  };
}

function fieldsOf({ id, name, version, title, sha256, created }: TermsSummary) {
  return { id, name, version, title, sha256, created: created.toISOString() };
}
