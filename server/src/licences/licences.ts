import { isRedistribution, REDISTRIBUTIONS } from "@dbdepot/contract/catalogue";
import { record } from "../audit/audit.ts";
import type { Action } from "../audit/entry.ts";
import { requireFamily } from "../catalogue/catalogue.ts";
import { requireActiveOrganization } from "../organizations/organizations.ts";
import { conflict, invalid, notFound } from "../primitives/faults.ts";
import { newId } from "../primitives/ids.ts";
import type { Operation, Tables } from "../store.ts";
import { hasEnded, type Licence, wasEverHeld } from "./licence.ts";

export async function grantLicence(
  operation: Operation,
  request: {
    organization: string;
    base: string;
    redistribution: string;
    /** Now by default. */
    starts?: Date | undefined;
    /** Never by default. */
    expires?: Date | null | undefined;
  },
): Promise<Licence> {
  const { redistribution } = request;
  if (!isRedistribution(redistribution)) {
    throw invalid(`"${redistribution}" is not a redistribution: choose from ${REDISTRIBUTIONS.join(", ")}`);
  }
  const starts = request.starts ?? operation.now;
  const expires = request.expires ?? null;
  requireTerm(starts, expires);
  return operation.store.change(async (tables) => {
    const organization = await requireActiveOrganization(tables, request.organization);
    const family = await requireFamily(tables, request.base);
    const licence: Licence = {
      id: newId(operation.now),
      organizationId: organization.id,
      base: family.base,
      redistribution,
      starts,
      expires,
      created: operation.now,
      renewsAt: null,
      noticeDueAt: null,
    };
    await tables.licences.insert(licence);
    await record(tables, operation, { action: "licence.granted", subject: licence.id, after: licence });
    return licence;
  });
}

/** Moves the end, or removes it (null). A licence that has ended becomes live again. */
export async function renewLicence(operation: Operation, id: string, expires: Date | null): Promise<Licence> {
  return operation.store.change(async (tables) => {
    const licence = await requireLicence(tables, id);
    if (!wasEverHeld(licence)) throw conflict(`the licence ${id} was ended before it began: grant a new one`);
    requireTerm(licence.starts, expires);
    if (expires !== null && expires <= operation.now) {
      throw invalid(`a renewal must end in the future; to end a licence now, use "licences end ${id}"`);
    }
    return moveEnd(tables, operation, licence, expires, "licence.renewed");
  });
}

/** Ends a licence now. One that has not begun never will. */
export async function endLicence(operation: Operation, id: string): Promise<Licence> {
  return operation.store.change(async (tables) => {
    const licence = await requireLicence(tables, id);
    if (hasEnded(licence, operation.now) || !wasEverHeld(licence))
      throw conflict(`the licence ${id} has already ended`);
    const end = licence.starts < operation.now ? operation.now : licence.starts;
    return moveEnd(tables, operation, licence, end, "licence.ended");
  });
}

async function moveEnd(
  tables: Tables,
  operation: Operation,
  licence: Licence,
  expires: Date | null,
  action: Action,
): Promise<Licence> {
  const after: Licence = { ...licence, expires };
  await tables.licences.update(after);
  await record(tables, operation, { action, subject: licence.id, before: licence, after });
  return after;
}

async function requireLicence(tables: Tables, id: string): Promise<Licence> {
  const licence = await tables.licences.byId(id.toLowerCase());
  if (!licence) throw notFound(`there is no licence "${id}"`);
  return licence;
}

function requireTerm(starts: Date, expires: Date | null): void {
  if (expires !== null && expires <= starts) {
    throw invalid(`the licence would end (${expires.toISOString()}) before it starts (${starts.toISOString()})`);
  }
}
