import type { PersonalData } from "@dbdepot/contract/operator/privacy";
import { notFound } from "../../platform/primitives/faults.ts";
import { isUuid } from "../../platform/primitives/ids.ts";
import type { AccountWithOrganization } from "../access/account.ts";
import { isEmail } from "../access/person.ts";
import type { Tables } from "../store.ts";
import type { Person } from "./person.ts";

/** A person, with the account that they have now. */
export interface KnownPerson extends Person {
  account: AccountWithOrganization | undefined;
}

/** Finds a person by e-mail address or account id, even if the account was deleted. */
export async function requirePerson(
  tables: Pick<Tables, "accounts" | "privacy">,
  idOrEmail: string,
): Promise<KnownPerson> {
  const text = idOrEmail.trim().toLowerCase();
  const email = isUuid(text)
    ? ((await tables.accounts.byId(text))?.email ?? (await tables.privacy.emailOfDeleted(text)))
    : isEmail(text)
      ? text
      : undefined;
  const person = email === undefined ? undefined : await tables.privacy.find(email);
  const isKnown = person && (person.accountIds.length > 0 || (await tables.privacy.count(person)).length > 0);
  if (!isKnown)
    throw notFound(`nothing is stored about "${idOrEmail}": give an e-mail address or the id of an account`);
  return { ...person, account: await tables.accounts.byEmail(person.email) };
}

/** Everything that is stored about a person, as one document that can be given to them. */
export async function exportPerson(
  tables: Pick<Tables, "accounts" | "privacy">,
  idOrEmail: string,
  now: Date,
): Promise<PersonalData> {
  const person = await requirePerson(tables, idOrEmail);
  const { email, accountIds, account } = person;
  return {
    email,
    name: account?.name ?? "",
    account_ids: [...accountIds],
    exported: now.toISOString(),
    data: await tables.privacy.export(person),
  };
}
