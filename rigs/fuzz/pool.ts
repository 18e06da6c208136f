import type { Random } from "../harness/random.ts";

const MAX_VALUES = 200;
const FAMILIES = ["bogon_ip", "bogon_asn", "hosting_provider", "vpn_ip", "pilot_ip"];
const VERSIONS = [
  "bogon_ip_v1",
  "bogon_ip_v2",
  "bogon_asn_v1",
  "hosting_provider_v1",
  "vpn_ip_v1",
  "vpn_ip_v2",
  "pilot_ip_v1",
];
/** These do not exist at first, so that requests can add them. */
const NEW_FAMILIES = Array.from({ length: 20 }, (_, i) => `fuzz_${i}`);
const NEW_VERSIONS = NEW_FAMILIES.map((family) => `${family}_v1`);
const BUILDS = "/api/operator/builds";

/** Objects that exist on the server, so that requests can name them, except those that the callers themselves need. */
export class Pool {
  readonly #files: { csvgz: Buffer; mmdb: Buffer };
  readonly #document: Buffer;
  readonly #collections = new Map<string, string[]>([
    ["/api/operator/families", [...FAMILIES]],
    ["/api/operator/versions", [...VERSIONS]],
    ["/geoip/databases", [...VERSIONS]],
    ["/api/console/databases", [...VERSIONS]],
  ]);
  readonly #emails = ["ada@example.com"];

  constructor(document: Buffer, files: { csvgz: Buffer; mmdb: Buffer }) {
    this.#document = document;
    this.#files = files;
  }

  /** Known values of the `:id` of the URL. */
  ids(url: string): readonly string[] {
    return this.#collection(url.split("/:")[0] ?? "");
  }

  /** Known values of a query parameter, a field of a body, or another part of a path. */
  values(name: string): readonly string[] {
    switch (name) {
      case "org":
      case "organization":
        return [...this.#collection("/api/operator/organizations"), "Demo Licensed"];
      case "base":
        return [...this.#collection("/api/operator/families"), ...NEW_FAMILIES];
      case "version":
        return ["vpn_ip_v1"];
      case "id":
      case "database":
      case "database_ids":
      case "edition_id":
        return [...VERSIONS, ...NEW_VERSIONS];
      case "key":
        return this.#collection("/api/operator/keys");
      case "build":
      case "to":
        return this.#collection(BUILDS);
      case "format":
        return ["csvgz", "csvgz", "mmdb", "mmdb", "sample_csvgz", "csv"];
      case "delivery":
        return this.#collection("/api/v2/webhooks");
      case "email":
        return this.#emails;
      case "url":
        return ["https://hooks.invalid/dbdepot", "https://hooks.invalid:8443/a?b=c"];
      case "allowed_cidrs":
        return ["192.0.2.0/24", "2001:db8::/32", "0.0.0.0/0"];
      case "address":
      case "ip":
        return ["192.0.2.1", "2001:db8::1", "10.0.0.0/8"];
      default:
        return [];
    }
  }

  /** Adds the object that a request created. */
  learn(url: string, response: unknown): void {
    const created = response as { id?: unknown; base?: unknown; account?: { id?: unknown } } | null;
    const id = created?.id ?? created?.base ?? created?.account?.id;
    if (typeof id !== "string") return;
    const ids = this.#collections.get(url) ?? [];
    ids.push(id);
    if (ids.length > MAX_VALUES) ids.shift();
    this.#collections.set(url, ids);
  }

  /** The metadata document or the file that belongs to the path, often damaged. */
  file(random: Random, path: string): Buffer {
    const { csvgz, mmdb } = this.#files;
    const original = path.includes("/mmdb") ? mmdb : path.includes("/files/") ? csvgz : this.#document;
    if (random.chance(0.4)) return original;
    if (random.chance(0.1)) return random.bytes(random.integer(0, 5000));
    const damaged = Buffer.from(
      original.subarray(0, random.chance(0.3) ? random.integer(0, original.length) : undefined),
    );
    for (let i = random.integer(0, 8); i > 0 && damaged.length > 0; i -= 1) {
      damaged[random.integer(0, damaged.length - 1)] = random.integer(0, 255);
    }
    return damaged;
  }

  #collection(url: string): readonly string[] {
    return this.#collections.get(url) ?? [];
  }
}
