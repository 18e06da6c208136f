import type { Role } from "@dbdepot/contract/console/accounts";
import { ensureAccount, updateAccount } from "../../domain/accounts/accounts.ts";
import { linkUrl } from "../../domain/accounts/link.ts";
import { insertLink } from "../../domain/accounts/links.ts";
import type { Operation } from "../../domain/store.ts";
import { DEMO_ORGANIZATIONS } from "./organizations.ts";

export const DEMO_PEOPLE: readonly {
  person: string;
  email: string;
  name: string;
  role: Role;
  organization?: string;
}[] = [
  { person: "operator", email: "operator@demo.example", name: "Demo Operator", role: "operator" },
  {
    person: "customer",
    email: "customer@demo.example",
    name: "Demo Customer",
    role: "admin",
    organization: DEMO_ORGANIZATIONS[0].name,
  },
];

export interface DemoLink {
  person: string;
  email: string;
  link: string;
}

/** Creates a link that signs in once for each demo account, after creating or enabling the account. */
export async function createDemoLinks(operation: Operation, publicUrl: string): Promise<DemoLink[]> {
  const { store } = operation;
  const links: DemoLink[] = [];
  for (const { person, ...account } of DEMO_PEOPLE) {
    const { id } = await store.change((tables) => ensureAccount(tables, operation, account));
    const enabled = await updateAccount(operation, undefined, id, { isDisabled: false });
    const { token } = await store.change((tables) => insertLink(tables, operation, enabled, "sign_in"));
    links.push({ person, email: account.email, link: linkUrl(publicUrl, token.reveal()) });
  }
  return links;
}
