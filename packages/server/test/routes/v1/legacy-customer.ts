import { type Customer, call, type Reply } from "../../../../../rigs/harness/service/customer.ts";
import type { TestService } from "../../../../../rigs/harness/service/test-service.ts";

type Query = Record<string, string>;

/** A customer with a UUID key that calls the v1 API. */
export class LegacyCustomer {
  readonly apiUrl: string;
  readonly uuid: string;
  readonly keyId: string;

  constructor(apiUrl: string, key: { uuid: string; keyId: string }) {
    this.apiUrl = apiUrl;
    this.uuid = key.uuid;
    this.keyId = key.keyId;
  }

  url(endpoint: string, query: Query, apikey = this.uuid): string {
    return `${this.apiUrl}/api/v1/database/${endpoint}?${new URLSearchParams({ apikey, ...query })}`;
  }

  get(endpoint: string, query: Query, init: RequestInit = {}): Promise<Reply> {
    return call(this.url(endpoint, query), init);
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

/** Creates a v1 key that is authorized for `ids`. */
export async function legacyKeyOf(
  { operator, service }: TestService,
  organization: string | undefined,
  ids: string[],
): Promise<LegacyCustomer> {
  return new LegacyCustomer(service.apiUrl, await operator.legacyCustomer(ids, organization));
}

export interface V1Fixture {
  /** Reads the organization's history with a v2 key. */
  admin: Customer;
  legacy: LegacyCustomer;
}

/**
 * Acme's v1 key is authorized for `vpn_ip_v1` (both formats), `hosting_provider_v1` (csvgz only), `geo_ip_v1` (mmdb
 * only) and `tor_ip_v1` (no build yet). It is not authorized for `bogon_ip_v1`, `cloud_provider_v1` and the private
 * `secret_provider_v1`. Acme holds no licence: on v1 the key's list of ids grants access.
 */
export async function v1Fixture(test: TestService): Promise<V1Fixture> {
  const { operator } = test;
  const admin = await operator.customer("Acme");
  for (const id of ["vpn_ip_v1", "tor_ip_v1", "bogon_ip_v1"]) await operator.addDatabase(id);
  for (const id of ["hosting_provider_v1", "cloud_provider_v1"]) await operator.addDatabase(id, { formats: ["csvgz"] });
  await operator.addDatabase("secret_provider_v1", { formats: ["csvgz"], visibility: "private" });
  await operator.addDatabase("geo_ip_v1", { formats: ["mmdb"] });
  for (const id of ["vpn_ip_v1", "hosting_provider_v1", "geo_ip_v1", "bogon_ip_v1", "secret_provider_v1"]) {
    await operator.publish(id);
  }
  const legacy = await legacyKeyOf(test, "Acme", ["vpn_ip_v1", "hosting_provider_v1", "geo_ip_v1", "tor_ip_v1"]);
  return { admin, legacy };
}
