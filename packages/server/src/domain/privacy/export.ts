import type { PersonalData } from "@dbdepot/contract/operator/privacy";
import type { Tables } from "../store.ts";
import { requirePerson } from "./people.ts";

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
