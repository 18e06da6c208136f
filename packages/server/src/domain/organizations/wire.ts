import type { OperatorOrganization } from "@dbdepot/contract/operator/organizations";
import { accountIdOf, type Organization } from "./organization.ts";

export function organizationToWire({ id, name, created, archived }: Organization): OperatorOrganization {
  return {
    id,
    account_id: accountIdOf(id),
    name,
    created: created.toISOString(),
    archived: archived?.toISOString() ?? null,
  };
}
