import { isRedistribution, REDISTRIBUTIONS, type Redistribution } from "@dbdepot/contract/v2/catalogue";
import { DAY_MS } from "../../platform/primitives/dates.ts";
import { conflict, invalid, notFound } from "../../platform/primitives/faults.ts";
import { newId } from "../../platform/primitives/ids.ts";
import { requireActiveOrganization } from "../access/find-organization.ts";
import { record } from "../audit/audit.ts";
import { requireFamily } from "../catalogue/catalogue.ts";
import { announce } from "../events/events.ts";
import type { AccessRequest } from "../requests/request.ts";
import { requirePending, requireReply, requireRequest } from "../requests/requests.ts";
import { settleRequests } from "../requests/settle.ts";
import type { Operation, Tables } from "../store.ts";
import { requireTerms } from "../terms/add.ts";
import { licenceEndedEvent, licenceEvent } from "./events.ts";
import { hasEnded, type Licence, wasEverHeld } from "./licence.ts";

const DEFAULT_EVALUATION_DAYS = 30;

/**
 * The end of a licence, the dates of its contract and the terms to accept. Null removes a value; undefined keeps it, or
 * uses the default.
 */
export interface LicenceChange {
  expires?: Date | null | undefined;
  renewsAt?: Date | null | undefined;
  noticeDueAt?: Date | null | undefined;
  /** A version like data-licence@2, or a name for its newest version. */
  terms?: string | null | undefined;
}

/** The terms of a new licence. */
export interface LicenceTerms extends LicenceChange {
  redistribution: string;
  starts?: Date | undefined;
}

interface Grant extends LicenceTerms {
  organization: string;
  base: string;
  /** The answer to the organization's pending request for the family, if there is one. */
  reply?: string | undefined;
}

export async function grantLicence(operation: Operation, grant: Grant): Promise<Licence> {
  return operation.store.change((tables) => insertLicence(tables, operation, grant));
}

/** Grants a licence for the family that the request asks for. Both change in one transaction. */
export async function grantRequest(
  operation: Operation,
  id: string,
  { reply = "", ...terms }: LicenceTerms & { reply?: string | undefined },
): Promise<AccessRequest> {
  const text = requireReply(reply);
  return operation.store.change(async (tables) => {
    const { organizationId: organization, base } = await requirePending(tables, id);
    await insertLicence(tables, operation, { ...terms, organization, base, reply: text });
    return requireRequest(tables, id);
  });
}

/** Grants a licence and settles the organization's request for it. */
async function insertLicence(tables: Tables, operation: Operation, grant: Grant): Promise<Licence> {
  const redistribution = requireRedistribution(grant.redistribution);
  const starts = grant.starts ?? operation.now;
  const { expires = defaultEnd(operation, redistribution, starts), renewsAt = null, noticeDueAt = null } = grant;
  requireTerm(starts, expires);
  requireContractDates({ starts, renewsAt, noticeDueAt });
  const organization = await requireActiveOrganization(tables, grant.organization);
  const family = await requireFamily(tables, grant.base);
  const licence: Licence = {
    id: newId(operation.now),
    organizationId: organization.id,
    base: family.base,
    redistribution,
    starts,
    expires,
    created: operation.now,
    renewsAt,
    noticeDueAt,
    externalId: null,
    termsId: await requiredTerms(tables, grant.terms ?? null),
  };
  await tables.licences.insert(licence);
  await record(tables, operation, { action: "licence.granted", subject: licence.id, after: licence });
  await announce(tables, operation, licenceEvent("licence.granted", licence));
  await settleRequests(tables, operation, licence, grant.reply);
  return licence;
}

/**
 * Moves the end or removes it (null), and changes the dates of the contract and the terms to accept. A licence that has
 * ended becomes live again if its end moves.
 */
export async function renewLicence(operation: Operation, id: string, change: LicenceChange): Promise<Licence> {
  const { expires, renewsAt, noticeDueAt, terms } = change;
  if ([expires, renewsAt, noticeDueAt, terms].every((value) => value === undefined)) {
    throw invalid(
      "a renewal changes the end of the licence (expires), renews_at, notice_due_at or terms: give at least one",
    );
  }
  return operation.store.change(async (tables) => {
    const licence = await requireLicence(tables, id);
    if (!wasEverHeld(licence)) throw conflict(`the licence ${id} was ended before it began: grant a new one`);
    const after: Licence = {
      ...licence,
      ...(expires !== undefined && { expires }),
      ...(renewsAt !== undefined && { renewsAt }),
      ...(noticeDueAt !== undefined && { noticeDueAt }),
      ...(terms !== undefined && { termsId: await requiredTerms(tables, terms) }),
    };
    requireContractDates(after);
    if (expires === undefined) return applyLicenceChange(tables, operation, licence, after, "licence.updated");
    requireTerm(licence.starts, expires);
    if (expires !== null && expires <= operation.now) {
      throw invalid(`a renewal must end in the future; to end a licence now, use "licences end ${id}"`);
    }
    return applyLicenceChange(tables, operation, licence, after, "licence.renewed");
  });
}

/** Ends a licence now. If it has not started yet, it never will. */
export async function endLicence(operation: Operation, id: string): Promise<Licence> {
  return operation.store.change(async (tables) => {
    const licence = await requireLicence(tables, id);
    if (hasEnded(licence, operation.now) || !wasEverHeld(licence))
      throw conflict(`the licence ${id} has already ended`);
    const expires = licence.starts < operation.now ? operation.now : licence.starts;
    return applyLicenceChange(tables, operation, licence, { ...licence, expires }, "licence.ended");
  });
}

/** Writes a change that has been checked, and settles requests. Call it in a transaction. */
async function applyLicenceChange(
  tables: Tables,
  operation: Operation,
  before: Licence,
  after: Licence,
  action: LicenceAction,
): Promise<Licence> {
  await writeLicenceChange(tables, operation, before, after, action);
  if (action === "licence.renewed") await settleRequests(tables, operation, after);
  return after;
}

export type LicenceAction = "licence.renewed" | "licence.updated" | "licence.ended";

/** Writes a change without settling the requests for the family. */
export async function writeLicenceChange(
  tables: Tables,
  operation: Operation,
  before: Licence,
  after: Licence,
  action: LicenceAction,
): Promise<void> {
  await tables.licences.update(after);
  await record(tables, operation, { action, subject: before.id, before, after });
  if (action === "licence.ended") await announce(tables, operation, licenceEndedEvent(after));
  if (action === "licence.renewed") await announce(tables, operation, licenceEvent(action, after));
}

async function requireLicence(tables: Tables, id: string): Promise<Licence> {
  const licence = await tables.licences.byId(id.toLowerCase());
  if (!licence) throw notFound(`there is no licence "${id}"`);
  return licence;
}

/** A name stands for the version that is the newest now: later versions do not change the licence. */
async function requiredTerms(tables: Tables, idOrName: string | null): Promise<string | null> {
  return idOrName === null ? null : (await requireTerms(tables, idOrName)).id;
}

export function requireTerm(starts: Date, expires: Date | null): void {
  if (expires !== null && expires <= starts) {
    throw invalid(`the licence would end (${expires.toISOString()}) before it starts (${starts.toISOString()})`);
  }
}

export function requireContractDates({
  starts,
  renewsAt,
  noticeDueAt,
}: Pick<Licence, "starts" | "renewsAt" | "noticeDueAt">): void {
  if (renewsAt && renewsAt <= starts) {
    throw invalid(
      `the contract would renew (${renewsAt.toISOString()}) before the licence starts (${starts.toISOString()})`,
    );
  }
  if (renewsAt && noticeDueAt && noticeDueAt > renewsAt) {
    throw invalid(
      `notice would be due (${noticeDueAt.toISOString()}) after the contract has renewed (${renewsAt.toISOString()})`,
    );
  }
}

export function requireRedistribution(text: string): Redistribution {
  if (isRedistribution(text)) return text;
  throw invalid(`"${text}" is not a redistribution: choose from ${REDISTRIBUTIONS.join(", ")}`);
}

/** Evaluations have an end by default. If they start in the past, the days count from now. */
function defaultEnd(operation: Operation, redistribution: Redistribution, starts: Date): Date | null {
  const { now, rules } = operation;
  const days = rules?.evaluationDays ?? DEFAULT_EVALUATION_DAYS;
  if (redistribution !== "evaluation" || days === 0) return null;
  return new Date(Math.max(starts.getTime(), now.getTime()) + days * DAY_MS);
}
