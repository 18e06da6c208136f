import type { ErasurePlan as WirePlan } from "@dbdepot/contract/operator/privacy";
import { conflict } from "../../platform/primitives/faults.ts";
import type { Account } from "../access/account.ts";
import { requireOrganization } from "../access/find-organization.ts";
import { newPseudonym } from "../access/person.ts";
import { isOperatorRole } from "../access/roles.ts";
import { record } from "../audit/audit.ts";
import { endProgramKey } from "../programs/ending.ts";
import type { Operation, Store, Tables } from "../store.ts";
import { rememberErased } from "./erased.ts";
import { type KnownPerson, requirePerson } from "./people.ts";
import type { PersonalRows } from "./store.ts";

/** The effects of erasing a person. */
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

/** Attempts that could not be stored yet. */
interface Spool {
  replay(append: Store["attempts"]["append"]): Promise<unknown>;
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
export async function erasePerson(
  operation: Operation,
  spool: Spool,
  idOrEmail: string,
  options: ErasureOptions,
): Promise<Erased> {
  return erasing(operation, spool, async (tables) => {
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
export async function eraseOrganizationPeople(operation: Operation, spool: Spool, idOrName: string): Promise<Erased[]> {
  return erasing(operation, spool, async (tables) => {
    const erased: Erased[] = [];
    for (const plan of await planOrganizationErasure(tables, idOrName)) {
      erased.push(await erase(tables, operation, plan));
    }
    return erased;
  });
}

/** Attempts that wait in the spool are stored first, because they would bring addresses back later. */
async function erasing<T>({ store }: Operation, spool: Spool, work: (tables: Tables) => Promise<T>): Promise<T> {
  await spool.replay((attempts) => store.attempts.append(attempts));
  const result = await store.change(work);
  await store.privacy.purge();
  return result;
}

/** Says what is lost with the last operator or admin. */
function lastWarning(last: "operator" | "admin", email: string, account: KnownPerson["account"]): string {
  return last === "operator"
    ? `${email} is the last operator: without them, only the command line can manage the service`
    : `${email} is the last admin of "${account?.organization?.name}": without them, the organization can no longer manage its keys and people`;
}

async function erase(tables: Tables, operation: Operation, { person }: ErasurePlan): Promise<Erased> {
  const pseudonym = newPseudonym();
  const programKeys = (await Promise.all(person.accountIds.map((id) => tables.programs.ofAccount(id)))).flat();
  const rows = await tables.privacy.erase(person, pseudonym);
  await rememberErased(tables, person.email);
  // Ended afterwards, so that what this writes is already anonymous, and the counts say what was deleted.
  for (const programKey of programKeys) await endProgramKey(tables, operation, programKey, "account erased");
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
