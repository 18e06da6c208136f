import type { Role } from "@dbdepot/contract/console/accounts";

/** A person who can sign in to the console. The password's hash is stored separately, so that it is never logged or audited. */
export interface Account {
  id: string;
  /** In lower case. Unique. */
  email: string;
  /** May be empty. */
  name: string;
  role: Role;
  /** Null for the vendor's people. */
  organizationId: string | null;
  created: Date;
  lastSignIn: Date | null;
  /** Null unless it is disabled: then the person cannot sign in. */
  disabled: Date | null;
}

/** An account with the part of its organization that sign-in depends on. */
export interface AccountWithOrganization extends Account {
  organization: { id: string; name: string; archived: Date | null } | null;
}

/** Whether the person may be signed in. */
export function isUsable({ disabled, organization }: AccountWithOrganization): boolean {
  return disabled === null && (organization?.archived ?? null) === null;
}

/** The name of an account in the audit log. */
export function actorOf({ email }: { email: string }): string {
  return `account:${email}`;
}
