import { type Customer, call, type Reply } from "../../customer.ts";
import type { TestService } from "../../test-service.ts";

type Query = Record<string, string>;

/** Somebody with a UUID, who talks to v1 as customers have done for years. */
export class LegacyCustomer {
  readonly apiUrl: string;
  readonly uuid: string;
  readonly keyId: string;

  constructor(apiUrl: string, key: { uuid: string; keyId: string }) {
    this.apiUrl = apiUrl;
    this.uuid = key.uuid;
    this.keyId = key.keyId;
  }

  url(address: string, query: Query, apikey = this.uuid): string {
    return `${this.apiUrl}/api/v1/database/${address}?${new URLSearchParams({ apikey, ...query })}`;
  }

  get(address: string, query: Query, init: RequestInit = {}): Promise<Reply> {
    return call(this.url(address, query), init);
  }

  download(id: string, format: string, init: RequestInit = {}): Promise<Reply> {
    return this.get("download", { id, format }, init);
  }

  checksum(id: string, format: string): Promise<Reply> {
    return this.get("checksum", { id, format });
  }

  metadata(id: string): Promise<Reply> {
    return this.get("metadata", { id });
  }
}

/** The old key of an organization, for these ids. */
export async function legacyKeyOf(
  { operator, service }: TestService,
  organization: string | undefined,
  ids: string[],
): Promise<LegacyCustomer> {
  return new LegacyCustomer(service.apiUrl, await operator.legacyCustomer(ids, organization));
}

export interface V1Scene {
  /** Sees the organization's history, by its v2 key. */
  admin: Customer;
  old: LegacyCustomer;
}

/**
 * Acme and its old key for `vpn_ip_v1` (both formats), `hosting_provider_v1` (no mmdb), `geo_ip_v1` (mmdb alone)
 * and `tor_ip_v1` (nothing published); beside them `bogon_ip_v1`, `cloud_provider_v1` and the private
 * `secret_provider_v1`, which the key is not for. Acme holds no licence at all: on v1 the list of ids is the grant.
 */
export async function v1Scene(test: TestService): Promise<V1Scene> {
  const { operator } = test;
  const admin = await operator.customer("Acme");
  for (const id of ["vpn_ip_v1", "tor_ip_v1", "bogon_ip_v1"]) await operator.addDatabase(id);
  for (const id of ["hosting_provider_v1", "cloud_provider_v1"]) await operator.addDatabase(id, { formats: ["csvgz"] });
  await operator.addDatabase("secret_provider_v1", { formats: ["csvgz"], visibility: "private" });
  await operator.addDatabase("geo_ip_v1", { formats: ["mmdb"] });
  for (const id of ["vpn_ip_v1", "hosting_provider_v1", "geo_ip_v1", "bogon_ip_v1", "secret_provider_v1"]) {
    await operator.publish(id);
  }
  const old = await legacyKeyOf(test, "Acme", ["vpn_ip_v1", "hosting_provider_v1", "geo_ip_v1", "tor_ip_v1"]);
  return { admin, old };
}
