import type { Identity, OwnOrganization } from "@dbdepot/contract/iam/keys";
import type { FastifyReply } from "fastify";
import { accountIdOf } from "../../domain/access/account-id.ts";
import { sendError } from "../errors.ts";
import type { KeyContext } from "../route.ts";

/** Says what the caller's key is and may do. */
export async function identity({ services, reply, caller }: KeyContext): Promise<FastifyReply> {
  // The sessions plugin accepts no session here.
  if (!("key" in caller)) throw new Error("a route about the caller's key was reached with a session");
  const { keys, organizations } = services.store;
  const key = await keys.byId(caller.key.id);
  if (!key) return sendError(reply, "NOT_AVAILABLE");
  const organization = key.organizationId === null ? undefined : await organizations.byId(key.organizationId);
  const body: Identity = {
    rc: "SUCCESS",
    org: organization ? { id: organization.id, name: organization.name } : null,
    org_name: organization?.name ?? null,
    service_name: services.console.brand.name,
    account_id: key.organizationId === null ? null : accountIdOf(key.organizationId),
    apikey_id: key.id,
    name: key.name,
    key_prefix: caller.prefix,
    allowed_cidrs: key.cidrs,
    scopes: key.scopes,
    expires: earlier(key.expires, caller.secretExpires)?.toISOString() ?? null,
  };
  return reply.send(body);
}

/** Describes the organization that the caller belongs to. */
export async function organization({ services, reply, organizationId }: KeyContext): Promise<FastifyReply> {
  const found = await services.store.organizations.byId(organizationId);
  if (!found) return sendError(reply, "NOT_AVAILABLE");
  const { id, name, created } = found;
  const body: OwnOrganization = { rc: "SUCCESS", org: { id, name, created: created.toISOString() } };
  return reply.send(body);
}

function earlier(one: Date | null, other: Date | null): Date | null {
  if (!one || !other) return one ?? other;
  return one < other ? one : other;
}
