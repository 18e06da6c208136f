import type { ErasurePlan as WirePlan } from "@dbdepot/contract/operator/privacy";
import { conflict } from "../../platform/primitives/faults.ts";
import type { Account } from "../access/account.ts";
import { isOperatorRole } from "../access/roles.ts";
import { endAccess } from "../accounts/operator-actions.ts";
import { record } from "../audit/audit.ts";
import { requireOrganization } from "../organizations/organizations.ts";
import type { Operation, Tables } from "../store.ts";
import { type KnownPerson, requirePerson } from "./people.ts";
import { newPseudonym } from "./person.ts";
import type { PersonalRows } from "./store.ts";

/** What erasing a person would do. */
export interface ErasurePlan {
  person: KnownPerson;
  rows: PersonalRows[];
  /** Set if the person is the last of their role. Erasing them has to be confirmed separately then. */
  last: "operator" | "admin" | null;
}

export interface Erased {
  pseudonym: string;
  rows: PersonalRows[];
}

type Readable = Pick<Tables, "accounts" | "privacy" | "organizations">;

export async function planErasure(tables: Readable, idOrEmail: string): Promise<ErasurePlan> {
  const person = await requirePerson(tables, idOrEmail);
  return { person, rows: await tables.privacy.count(person), last: await lastRole(tables, person.account) };
}

export function erasurePlanToWire({ person: { email, account }, rows, last }: ErasurePlan): WirePlan {
  const warning = last && lastWarning(last, email, account);
  return { email, account_id: account?.id ?? null, rows, last, warning };
}

/** The plans for all people of an organization. */
export async function planOrganizationErasure(tables: Readable, idOrName: string): Promise<ErasurePlan[]> {
  const { id, name } = await requireOrganization(tables, idOrName);
  const emails = await tables.privacy.emailsOf(id);
  if (emails.length === 0) throw conflict(`nothing is stored about people of "${name}"`);
  return Promise.all(emails.map((email) => planErasure(tables, email)));
}

interface ErasureOptions {
  /** Also erases the last operator or the last admin of an organization. */
  evenLast: boolean;
  /** The account of the person who does it, if they are signed in. */
  ownId?: string | undefined;
  /** Refuses to erase the vendor's own people. Keys cannot manage their accounts, either. */
  isByKey?: boolean;
}

/** Deletes or anonymizes everything about a person. */
export async function erasePerson(operation: Operation, idOrEmail: string, options: ErasureOptions): Promise<Erased> {
  return operation.store.change(async (tables) => {
    const plan = await planErasure(tables, idOrEmail);
    const { account, email } = plan.person;
    if (account && account.id === options.ownId) throw conflict("you cannot erase yourself: ask another operator");
    if (options.isByKey && account && isOperatorRole(account.role)) {
      throw conflict("a key cannot erase the vendor's own people: use the console or the command line");
    }
    if (plan.last && !options.evenLast) throw conflict(lastWarning(plan.last, email, account));
    return erase(tables, operation, plan);
  });
}

/** Erases all people of an organization, in one transaction. */
export async function eraseOrganizationPeople(operation: Operation, idOrName: string): Promise<Erased[]> {
  return operation.store.change(async (tables) => {
    const erased: Erased[] = [];
    for (const plan of await planOrganizationErasure(tables, idOrName)) {
      erased.push(await erase(tables, operation, plan));
    }
    return erased;
  });
}

/** Says what is lost with the last operator or admin. */
function lastWarning(last: "operator" | "admin", email: string, account: KnownPerson["account"]): string {
  return last === "operator"
    ? `${email} is the last operator: without them, only the command line can manage the service`
    : `${email} is the last admin of "${account?.organization?.name}": without them, the organization can no longer manage its keys and people`;
}

async function erase(tables: Tables, operation: Operation, { person, rows }: ErasurePlan): Promise<Erased> {
  const pseudonym = newPseudonym();
  for (const id of person.accountIds) await endAccess(tables, operation, id);
  await tables.privacy.erase(person, pseudonym);
  const counts = Object.fromEntries(rows.map(({ table, count }) => [table, count]));
  const after = { organizationId: person.account?.organizationId ?? null, rows: counts };
  await record(tables, operation, { action: "privacy.erased", subject: pseudonym, after });
  return { pseudonym, rows };
}

async function lastRole(tables: Readable, account: Account | undefined): Promise<ErasurePlan["last"]> {
  if (!account || account.disabled || (account.role !== "operator" && account.role !== "admin")) return null;
  const { id, role, organizationId } = account;
  const peers = await tables.accounts.list(organizationId === null ? {} : { organizationId });
  const hasPeer = peers.some((peer) => peer.role === role && peer.id !== id && peer.disabled === null);
  return hasPeer ? null : role;
}
