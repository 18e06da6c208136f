import { CUSTOMER_ROLES } from "@dbdepot/contract/console/accounts";
import { AcceptTermsRequest, OwnTerms, OwnTermsList, OwnTermsText } from "@dbdepot/contract/console/terms";
import { NoQuery } from "@dbdepot/contract/operator/queries";
import { hasEnded, wasEverHeld } from "../../domain/licences/licence.ts";
import { isVisible } from "../../domain/licences/standing.ts";
import { acceptTerms } from "../../domain/terms/accept.ts";
import { requireTerms } from "../../domain/terms/add.ts";
import type { Acceptance } from "../../domain/terms/terms.ts";
import { termsToOwnWire } from "../../domain/terms/wire.ts";
import { notFound } from "../../platform/primitives/faults.ts";
import { endpoint, type PersonContext } from "../endpoint.ts";

export const TERMS_ROUTES = [
  endpoint({
    method: "GET",
    url: "/api/console/terms",
    scope: "account",
    roles: CUSTOMER_ROLES,
    respond: getTermsList,
    summary: "List the terms of your licences",
    description:
      "Returns the terms that your organization's licences require, with who has accepted them. Until they are accepted, downloads with these licences get 403 `TERMS_NOT_ACCEPTED`.",
    query: NoQuery,
    response: OwnTermsList,
  }),
  endpoint({
    method: "GET",
    url: "/api/console/terms/:id",
    scope: "account",
    roles: CUSTOMER_ROLES,
    respond: getTerms,
    summary: "Get the text of terms",
    description: "Returns a version that your organization's licences require or that it has accepted.",
    query: NoQuery,
    response: OwnTermsText,
    errors: ["NOT_FOUND"],
  }),
  endpoint({
    method: "POST",
    url: "/api/console/terms/:id/accept",
    scope: "account",
    roles: ["admin"],
    respond: postTermsAcceptance,
    changesRegister: true,
    summary: "Accept terms",
    description:
      "Accepts a version for your organization, for all its licences. Who accepted which text, when and from which address is kept. Accepting it again changes nothing.",
    body: AcceptTermsRequest,
    response: OwnTerms,
    errors: ["NOT_FOUND", "CONFLICT"],
  }),
];

/** The terms that the organization's licences require or that it has accepted. */
async function getTermsList(context: PersonContext): Promise<OwnTermsList> {
  const { store } = context.services;
  const { databases, acceptances } = await ownTerms(context);
  const found = await store.terms.summaries([...new Set([...databases.keys(), ...acceptances.keys()])]);
  const terms = found.map((each) => termsToOwnWire(each, databases.get(each.id) ?? [], acceptances.get(each.id)));
  const members = await store.accounts.list({ organizationId: organizationOf(context) });
  return {
    terms: terms.sort(byUrgency),
    admins: members
      .filter(({ role, disabled }) => role === "admin" && disabled === null)
      .map(({ name, email }) => ({ name, email })),
  };
}

/** Sorts terms that have to be accepted first, then the newest. */
function byUrgency(one: OwnTerms, other: OwnTerms): number {
  const isPending = ({ acceptance }: OwnTerms) => Number(acceptance === null);
  return isPending(other) - isPending(one) || (one.created < other.created ? 1 : -1);
}

async function getTerms(context: PersonContext): Promise<OwnTermsText> {
  const { terms, databases, acceptance } = await requireOwnTerms(context);
  return { ...termsToOwnWire(terms, databases, acceptance), text: terms.text };
}

async function postTermsAcceptance(context: PersonContext<unknown, AcceptTermsRequest>): Promise<OwnTerms> {
  const { request, operation, caller, body } = context;
  const { terms, databases } = await requireOwnTerms(context);
  const acceptance = await acceptTerms(operation, {
    terms,
    sha256: body.sha256,
    account: caller.account,
    sessionHash: caller.sessionHash,
    address: request.clientAddress,
  });
  return termsToOwnWire(terms, databases, acceptance);
}

/** To everyone else, the terms look as if they did not exist. */
async function requireOwnTerms(context: PersonContext) {
  const { services, id } = context;
  const terms = await requireTerms(services.store, id);
  const { databases, acceptances } = await ownTerms(context);
  const acceptance = acceptances.get(terms.id);
  if (!databases.has(terms.id) && !acceptance) throw notFound(`your organization has no terms "${id}"`);
  return { terms, databases: databases.get(terms.id) ?? [], acceptance };
}

/** The names of the families that require each version, and what is accepted. */
async function ownTerms(context: PersonContext) {
  const { services, now } = context;
  const { register, store } = services;
  const organizationId = organizationOf(context);
  const databases = new Map<string, string[]>();
  for (const { family } of register.families) {
    const licences = register.licences(organizationId, family.base);
    if (!isVisible(family, licences)) continue;
    const current = licences.filter((licence) => wasEverHeld(licence) && !hasEnded(licence, now));
    for (const id of new Set(current.flatMap(({ termsId }) => termsId ?? []))) {
      databases.set(id, [...(databases.get(id) ?? []), family.name]);
    }
  }
  const { items } = await store.terms.acceptances({ organizationId }, {});
  return { databases, acceptances: new Map<string, Acceptance>(items.map((each) => [each.termsId, each])) };
}

function organizationOf({ caller }: PersonContext): string {
  return caller.account.organizationId ?? "";
}
