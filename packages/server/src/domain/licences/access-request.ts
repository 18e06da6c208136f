import type { AccountWithOrganization } from "../access/account.ts";
import { record } from "../audit/audit.ts";
import type { Family } from "../catalogue/family.ts";
import type { Organization } from "../organizations/organization.ts";
import type { Operation } from "../store.ts";
import type { FamilyStanding } from "./standing.ts";

/** A person asks the vendor for a licence. Nothing is granted: an operator does that. */
export interface AccessRequest {
  account: Pick<AccountWithOrganization, "email" | "name">;
  organization: Pick<Organization, "id" | "name">;
  family: Family;
  message: string;
}

export async function recordAccessRequest(operation: Operation, request: AccessRequest): Promise<void> {
  const { organization, family, message } = request;
  await operation.store.change((tables) =>
    record(tables, operation, {
      action: "licence.requested",
      subject: organization.id,
      after: { base: family.base, message },
    }),
  );
}

/** The e-mail to the operator. A reply reaches the person who asked. */
export function accessRequestMail(
  { account, organization, family, message }: AccessRequest,
  { standing, licence }: FamilyStanding,
  { to, publicUrl }: { to: string; publicUrl: string },
) {
  const person = account.name === "" ? account.email : `${account.name} <${account.email}>`;
  const lines = [
    `${person} of ${organization.name} asks for a licence for ${family.name} (${family.base}).`,
    "",
    `Licence now: ${standing}${licence?.expires ? `, until ${licence.expires.toISOString().slice(0, 10)}` : ""}`,
    ...(message === "" ? [] : ["", "Message:", "", message]),
    "",
    "Reply to this e-mail to answer. To grant the licence, open",
    `${publicUrl}/console/organizations/${organization.id}`,
    "",
  ];
  return {
    to,
    replyTo: account.email,
    subject: `${organization.name} asks for ${family.name}`,
    text: lines.join("\n"),
  };
}
