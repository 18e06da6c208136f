import { expect } from "vitest";
import { Customer, call, type Reply } from "../../../../../rigs/harness/service/customer.ts";
import type { TestService } from "../../../../../rigs/harness/service/test-service.ts";
import { createKey } from "../../../src/domain/keys/keys.ts";

const KEYS = "/api/v1/iam/apikeys";

/** A customer whose key may manage the API keys of its organization. */
export class Admin extends Customer {
  send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Reply> {
    const content = body === undefined ? {} : { "content-type": "application/json" };
    return call(`${this.apiUrl}${KEYS}${path}`, {
      method,
      headers: { authorization: `Bearer ${this.key}`, ...content, ...headers },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
  }

  create(body: unknown, headers: Record<string, string> = {}): Promise<Reply> {
    return this.send("POST", "", body, headers);
  }

  rotate(id: string, body?: unknown): Promise<Reply> {
    return this.send("POST", `/${id}/rotate`, body);
  }

  endOverlap(id: string): Promise<Reply> {
    return this.send("POST", `/${id}/end-overlap`);
  }

  revoke(id: string, body?: unknown): Promise<Reply> {
    return this.send("POST", `/${id}/revoke`, body);
  }

  update(id: string, body: unknown): Promise<Reply> {
    return this.send("PATCH", `/${id}`, body);
  }

  // biome-ignore lint/suspicious/noExplicitAny: each test knows the shape of the body it reads
  async keys(): Promise<any[]> {
    const reply = await this.send("GET", "");
    expect([reply.status, reply.json.rc]).toEqual([200, "SUCCESS"]);
    return reply.json.keys;
  }

  /** Returns a client that uses the newly created key. */
  with(created: Reply): Admin {
    const { id, key } = created.json;
    return new Admin(this.apiUrl, key, { organizationId: this.organizationId, keyId: id });
  }
}

/** The operator creates another key for the organization. */
export async function adminOf(
  { operator, service }: TestService,
  { organizationId }: { organizationId: string },
  { scopes = ["apikeys.manage"], cidrs = [], expires = null }: KeyTerms = {},
): Promise<Admin> {
  const { key, plain } = await createKey(operator.operation(), {
    organizationId,
    name: "admin",
    scopes,
    cidrs,
    expires,
  });
  return new Admin(service.apiUrl, plain.reveal(), { organizationId, keyId: key.id });
}

interface KeyTerms {
  scopes?: string[];
  cidrs?: string[];
  expires?: Date | null;
}

/** Adds an organization and returns its admin. */
export async function newAdmin(test: TestService, name: string, terms: KeyTerms = {}): Promise<Admin> {
  return adminOf(test, await test.operator.customer(name), terms);
}
