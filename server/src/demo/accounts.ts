import type { Role } from "@dbdepot/contract/console";
import { ensureAccount } from "../accounts/accounts.ts";
import { linkUrl } from "../accounts/link.ts";
import { insertLink } from "../accounts/links.ts";
import type { Operation } from "../store.ts";
import { DEMO_ORGANIZATIONS } from "./organizations.ts";

const PEOPLE: readonly { person: string; email: string; name: string; role: Role; organization?: string }[] = [
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

/** A link that signs in once for each demo account, which is created at the first start. Those of the last start stop working. */
export async function renewDemoLinks(operation: Operation, publicUrl: string): Promise<DemoLink[]> {
  const links: DemoLink[] = [];
  for (const { person, ...account } of PEOPLE) {
    const link = await operation.store.change(async (tables) => {
      const { token } = await insertLink(tables, operation, await ensureAccount(tables, operation, account), "sign_in");
      return linkUrl(publicUrl, token.reveal());
    });
    links.push({ person, email: account.email, link });
  }
  return links;
}
