import { conflict } from "../../platform/primitives/faults.ts";
import { newId } from "../../platform/primitives/ids.ts";
import type { Account } from "../access/account.ts";
import { requireCustomerManager } from "../access/manager.ts";
import type { SecretHash } from "../access/secret.ts";
import { record } from "../audit/audit.ts";
import type { Operation } from "../store.ts";
import type { Acceptance, TermsSummary } from "./terms.ts";

interface Accepting {
  terms: TermsSummary;
  /** The digest of the text that the person has read. */
  sha256: string;
  account: Pick<Account, "id" | "name" | "email">;
  sessionHash: SecretHash;
  address: string;
}

/** Accepts terms for the person's organization. If they are accepted already, nothing changes. */
export async function acceptTerms(operation: Operation, accepting: Accepting): Promise<Acceptance> {
  const { terms, sha256, account, sessionHash, address } = accepting;
  if (sha256 !== terms.sha256) {
    throw conflict(`this is not the text of ${terms.id}: load the page again and read the text before you accept it`);
  }
  return operation.store.change(async (tables) => {
    const { organizationId } = await requireCustomerManager(tables, { sessionHash }, operation.now);
    const { items } = await tables.terms.acceptances({ organizationId, terms }, {});
    if (items[0]) return items[0];
    const acceptance: Acceptance = {
      id: newId(operation.now),
      organizationId,
      termsId: terms.id,
      sha256,
      accountId: account.id,
      name: account.name,
      email: account.email,
      address,
      created: operation.now,
    };
    await tables.terms.insertAcceptance(acceptance);
    // The person is the actor of the entry.
    const { name: _, email: __, ...after } = acceptance;
    await record(tables, operation, { action: "terms.accepted", subject: organizationId, after });
    return acceptance;
  });
}
