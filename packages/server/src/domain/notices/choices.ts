import type { NoticeTopic } from "@dbdepot/contract/console/notices";
import { invalid } from "../../platform/primitives/faults.ts";
import { type AccountWithOrganization, actorOf, isUsable } from "../access/account.ts";
import { type AccountCaller, findSession } from "../access/session.ts";
import { Token } from "../access/token.ts";
import { SignedOut } from "../accounts/accounts.ts";
import { record } from "../audit/audit.ts";
import type { Operation, Tables } from "../store.ts";
import { newRecipient, type Recipient } from "./recipient.ts";
import { topicsOf } from "./topics.ts";

/** A topic and whether the person is notified of it. */
export interface Choice {
  topic: NoticeTopic;
  isOn: boolean;
}

export function choicesOf({ role }: AccountWithOrganization, recipient: Pick<Recipient, "off"> | undefined): Choice[] {
  return topicsOf(role).map((topic) => ({ topic, isOn: !recipient?.off.includes(topic) }));
}

/** Changes one of the caller's own choices. */
export async function chooseTopic(
  operation: Operation,
  { sessionHash }: AccountCaller,
  { topic, isOn }: Choice,
): Promise<Choice[]> {
  return operation.store.change(async (tables) => {
    const found = await findSession(tables.sessions, sessionHash, operation.now);
    if (!found) throw new SignedOut("the session has ended");
    const { account } = found;
    if (!topicsOf(account.role).includes(topic)) throw invalid(`your role is not notified of ${topic}`);
    const recipient = (await tables.notices.recipient(account.id)) ?? newRecipient(account.id);
    const others = recipient.off.filter((each) => each !== topic);
    return save(tables, operation, account, recipient, isOn ? others : [...others, topic]);
  });
}

/** The person whom a link in an e-mail belongs to. */
export interface LinkOwner {
  account: AccountWithOrganization;
  choices: Choice[];
}

/** Undefined if the link is not valid, or its owner gets no e-mails any more. */
export async function ownerOfLink(
  tables: Pick<Tables, "notices" | "accounts">,
  token: string,
): Promise<LinkOwner | undefined> {
  const recipient = Token.parse(token) && (await tables.notices.recipientByToken(token));
  const account = recipient && (await tables.accounts.byId(recipient.accountId));
  return account && isUsable(account) ? { account, choices: choicesOf(account, recipient) } : undefined;
}

/** Turns a topic off, or all of them, for the owner of a link. Undefined if the link is not valid. */
export async function unsubscribe(
  { store, now }: Pick<Operation, "store" | "now">,
  token: string,
  topic: NoticeTopic | undefined,
): Promise<LinkOwner | undefined> {
  // Most invalid links are found without a transaction.
  if (!(await ownerOfLink(store, token))) return undefined;
  return store.change(async (tables) => {
    const owner = await ownerOfLink(tables, token);
    const recipient = await tables.notices.recipientByToken(token);
    if (!owner || !recipient) return undefined;
    const { account } = owner;
    const off = new Set([...recipient.off, ...(topic ? [topic] : topicsOf(account.role))]);
    const operation = { store, now, actor: actorOf(account) };
    return { account, choices: await save(tables, operation, account, recipient, [...off]) };
  });
}

async function save(
  tables: Tables,
  operation: Operation,
  account: AccountWithOrganization,
  before: Recipient,
  off: readonly NoticeTopic[],
): Promise<Choice[]> {
  const after = { ...before, off };
  const isChanged = off.length !== before.off.length || off.some((topic) => !before.off.includes(topic));
  if (isChanged) {
    await tables.notices.saveRecipient(after);
    await record(tables, operation, {
      action: "account.notices_changed",
      subject: account.id,
      before: { off: before.off },
      after: { off },
    });
  }
  return choicesOf(account, after);
}
