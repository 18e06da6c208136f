import { hash } from "node:crypto";
import type {
  ApiKeyList,
  ChangedKey,
  CreatedKey,
  CreateKeyRequest,
  Identity,
  OwnOrganization,
} from "@dbdepot/contract/iam/keys";
import type { LegacyChecksums, LegacyMetadata } from "@dbdepot/contract/v1/files";
import type { DatabaseList } from "@dbdepot/contract/v2/catalogue";
import type { DatabaseChanges } from "@dbdepot/contract/v2/changes";
import type { Checksums, DatabaseChecksums } from "@dbdepot/contract/v2/checksums";
import type { DownloadList } from "@dbdepot/contract/v2/downloads";
import type { FreshnessEndorsement, FreshnessStatement, SignedFreshness } from "@dbdepot/contract/v2/freshness";
import type { LimitList } from "@dbdepot/contract/v2/limits";
import type { Manifest, SignedManifest, SigningKeys } from "@dbdepot/contract/v2/manifests";
import type { DatabaseMetadata } from "@dbdepot/contract/v2/metadata";
import type { UsageCounts, UsageReport } from "@dbdepot/contract/v2/usage";

/** Example responses. A test validates them against their schemas. */

export const KEY_ID = "019a8c11-04d2-7a3f-8e64-5b7f20c9d1aa";
export const BUILD_ID = "019a8f3e-7c52-7d10-9b1e-2f6a4c8d0e11";

export const limitList: LimitList = {
  limits: [
    { limit: "downloads_per_day", allowed: 100, used: 42, resets: "2026-11-18T00:00:00.000Z" },
    { limit: "bytes_per_month", allowed: 500_000_000_000, used: 31_415_926_535, resets: "2026-12-01T00:00:00.000Z" },
  ],
};

export const databaseList: DatabaseList = {
  databases: [
    {
      base: "hosting_provider",
      name: "Hosting providers",
      summary: "Companies that rent out servers, by provider id",
      standing: "unlicensed",
      redistribution: null,
      starts: null,
      expires: null,
      versions: [
        {
          id: "hosting_provider_v1",
          version: 1,
          summary: "Companies that rent out servers, by provider id",
          formats: ["csvgz"],
          sample_formats: ["csvgz"],
        },
      ],
      license_type: null,
      renews_at: null,
      notice_due_at: null,
      open: false,
      terms_to_accept: null,
    },
    {
      base: "vpn_ip",
      name: "VPN addresses",
      summary: "Exit addresses of VPN services",
      standing: "licensed",
      redistribution: "internal",
      starts: "2026-01-01T00:00:00.000Z",
      expires: "2027-01-01T00:00:00.000Z",
      versions: [
        {
          id: "vpn_ip_v1",
          version: 1,
          summary: "Exit addresses of VPN services",
          formats: ["csvgz", "mmdb"],
          sample_formats: ["csvgz", "mmdb"],
        },
      ],
      license_type: "standard",
      renews_at: "2027-01-01T00:00:00.000Z",
      notice_due_at: "2026-10-01T00:00:00.000Z",
      open: false,
      terms_to_accept: null,
    },
  ],
};

export const metadata: DatabaseMetadata = {
  id: "vpn_ip_v1",
  update_freq: "daily",
  updated: "2026-11-01",
  entries: 48213,
  schema: {
    csvgz: [
      { name: "start_ip", type: "ip", description: "The first address of the range" },
      { name: "end_ip", type: "ip", description: "The last address of the range" },
      { name: "service", type: "string", description: "The VPN service" },
    ],
    mmdb: [{ name: "service", type: "string", description: "The VPN service" }],
  },
  sample: {
    csvgz: [{ start_ip: "192.0.2.0", end_ip: "192.0.2.15", service: "Example VPN" }],
    mmdb: [{ service: "Example VPN" }],
  },
  size: { csvgz: 402118, mmdb: 1310720 },
};

/** Real digests, so that their lengths are right. */
const digests: Checksums = {
  md5: hash("md5", "an example"),
  sha1: hash("sha1", "an example"),
  sha256: hash("sha256", "an example"),
  sha512: hash("sha512", "an example"),
};

const manifest: Manifest = {
  format: 1,
  id: "vpn_ip_v1",
  sequence: 3,
  created: "2026-11-01T04:00:00.000Z",
  build_id: "019a8f3e-7c52-7d10-9b1e-2f6a4c8d0e11",
  published: "2026-11-01T04:00:00.000Z",
  metadata: { size_bytes: 1830, sha256: digests.sha256 },
  files: { mmdb: { size_bytes: 4096, checksums: digests } },
  previous: digests.sha256,
};

export const databaseChanges: DatabaseChanges = {
  id: "vpn_ip_v1",
  from: {
    build_id: "019a8a18-1f3a-7c02-8d5e-6b0f9c4e7a21",
    updated: "2026-10-31",
    published: "2026-10-31T04:00:00.000Z",
    entries: 48190,
  },
  to: { build_id: BUILD_ID, updated: "2026-11-01", published: "2026-11-01T04:00:00.000Z", entries: 48213 },
  changes: {
    added: 31,
    removed: 8,
    changed: 1,
    unchanged: 48181,
    key: ["start_ip", "end_ip"],
    repeated_keys: 0,
    columns: [
      { name: "start_ip", changed: 0 },
      { name: "end_ip", changed: 0 },
      { name: "service", changed: 1 },
    ],
    examples: {
      added: [{ start_ip: "198.51.100.0", end_ip: "198.51.100.15", service: "Example VPN" }],
      removed: [{ start_ip: "203.0.113.8", end_ip: "203.0.113.9", service: "Example VPN" }],
      changed: [
        {
          before: { start_ip: "192.0.2.0", end_ip: "192.0.2.15", service: "Example VPN" },
          after: { start_ip: "192.0.2.0", end_ip: "192.0.2.15", service: "Another VPN" },
        },
      ],
    },
  },
  reason: null,
};

export const signedManifest: SignedManifest = {
  id: "vpn_ip_v1",
  sequence: 3,
  build_id: "019a8f3e-7c52-7d10-9b1e-2f6a4c8d0e11",
  key_id: "E64CABF3122C81FE",
  manifest: `${JSON.stringify(manifest, null, 2)}\n`,
  signature: `untrusted comment: signature from dbdepot key E64CABF3122C81FE
RUT+gSwS86tM5sl15qwZPxY+oblzJ8nZ14HyfM9CoMGIIaY1UUjnSgko+CjsMTA6L8bG8iJr2JGqas4aHZo33cE+MFEHTaRe1A0=
trusted comment: dbdepot manifest vpn_ip_v1 3
GmbjIM+oapa7CP/bIAjcHjLFb4O5WSx7FOR0tMSQ9wV4N0bl/0VK4XZpDRJ50eMT/8z15gZE08KorvSVRrMhDw==
`,
};

const freshnessStatement: FreshnessStatement = {
  format: 1,
  type: "freshness",
  id: "vpn_ip_v1",
  sequence: 3,
  manifest_sha256: hash("sha256", signedManifest.manifest),
  issued: "2026-11-17T06:00:00.000Z",
  valid_until: "2026-11-18T06:00:00.000Z",
};

const freshnessEndorsement: FreshnessEndorsement = {
  format: 1,
  role: "freshness",
  freshness_key: "RWQj0ly6AwFLxctmMtHnJBo0L/QhP9ymbIKwSFTgcUPbylARRPLk+c5h",
  endorsed_by: "E64CABF3122C81FE",
  created: "2026-10-01T09:05:00.000Z",
  expires: "2027-10-01T09:05:00.000Z",
  revoked: [],
};

export const signedFreshness: SignedFreshness = {
  id: "vpn_ip_v1",
  sequence: 3,
  issued: "2026-11-17T06:00:00.000Z",
  valid_until: "2026-11-18T06:00:00.000Z",
  key_id: "C54B0103BA5CD223",
  statement: `${JSON.stringify(freshnessStatement, null, 2)}\n`,
  signature: `untrusted comment: signature from dbdepot key C54B0103BA5CD223
RUQj0ly6AwFLxRQOUyaij4RsQLKz4DH+g18LDSyvKeBUclnI8rdIhQj+ceR1vWprURNHu3Yn73Ixe1Jc0TDu1u8s0NiW7oKtgA4=
trusted comment: dbdepot freshness vpn_ip_v1 3
lsdf+WPHvzdxwajESb0nSNEZWpwSJlQ+HcqzLw4p9VwN4/dnpa0jlpKZQiUj+6pXiKsE8/Q38sGa/LFVCpPVAg==
`,
  endorsement: {
    statement: `${JSON.stringify(freshnessEndorsement, null, 2)}\n`,
    signature: `untrusted comment: signature from dbdepot key E64CABF3122C81FE
RUT+gSwS86tM5o4yjmAzNO57Dx0OS/cefwecp0vHNbAiv3VVGlm7IXnXUsZ4PhCx+/k9vVydZkiY7/2B1kN4iItTZ04380XJh1wc=
trusted comment: dbdepot freshness key C54B0103BA5CD223
AUASs/o5JB3CTw6HLkjv949fD7uSUIXfv9XZ94WMLw5+O4cFGzRB6iylVy3xl63wbaMYr/oGyhk3m8hYr6NgDw==
`,
  },
};

export const signingKeys: SigningKeys = {
  format: 1,
  keys: [
    {
      key_id: "E64CABF3122C81FE",
      public_key: "RWT+gSwS86tM5upKbGPinFIKvvVQexMuxfmVR3auvr57kkIe6mkURtIs",
      created: "2026-10-01T09:00:00.000Z",
      expires: null,
      endorsement: null,
    },
  ],
  freshness_keys: [
    {
      key_id: "C54B0103BA5CD223",
      public_key: freshnessEndorsement.freshness_key,
      created: freshnessEndorsement.created,
      expires: freshnessEndorsement.expires,
      endorsement: signedFreshness.endorsement,
    },
  ],
};

export const checksums: DatabaseChecksums = { id: "vpn_ip_v1", format: "mmdb", checksums: digests };

export const downloadList: DownloadList = {
  downloads: [
    {
      dataset_id: "vpn_ip_v1",
      format: "mmdb",
      outcome: "ok",
      bytes: 1310720,
      http_status: 302,
      apikey_id: KEY_ID,
      client_ip: "198.51.100.7",
      user_agent: "curl/8.14.1",
      created: "2026-11-02T06:17:31.402Z",
      open: false,
      sample: false,
      patch: false,
    },
    {
      dataset_id: "hosting_provider_v1",
      format: "csvgz",
      outcome: "denied",
      bytes: null,
      http_status: 403,
      apikey_id: KEY_ID,
      client_ip: "198.51.100.7",
      user_agent: "curl/8.14.1",
      created: "2026-11-02T06:17:30.118Z",
      open: false,
      sample: false,
      patch: false,
    },
  ],
};

export const legacyChecksums: LegacyChecksums = { rc: "SUCCESS", data: digests };

export const legacyMetadata: LegacyMetadata = {
  rc: "SUCCESS",
  data: { updated: "2026-11-01", entries: 48213, size: { csvgz: 402118, mmdb: 1310720 } },
};

const key = {
  id: KEY_ID,
  name: "nightly update",
  key_prefix: "dbd_k3v9Xq2a",
  allowed_cidrs: ["198.51.100.0/24"],
  allowed_scopes: ["db.download"],
};

export const identity: Identity = {
  rc: "SUCCESS",
  org: { id: "019a8b02-5c11-7e0a-9d43-1f2e3d4c5b6a", name: "Acme" },
  org_name: "Acme",
  service_name: "Example Data",
  account_id: 1632794429,
  apikey_id: KEY_ID,
  name: "nightly update",
  key_prefix: "dbd_k3v9Xq2a",
  allowed_cidrs: ["198.51.100.0/24"],
  scopes: ["db.download"],
  expires: null,
};

export const ownOrganization: OwnOrganization = {
  rc: "SUCCESS",
  org: { id: "019a8b02-5c11-7e0a-9d43-1f2e3d4c5b6a", name: "Acme", created: "2026-09-01T08:00:00.000Z" },
};

export const createKeyRequest: CreateKeyRequest = { name: "nightly update", allowed_scopes: ["db.download"] };

/** The secret is deliberately invalid. */
export const createdKey: CreatedKey = { rc: "SUCCESS", key: "dbd_k3v9Xq2a_...", ...key };

const listedKey = {
  ...key,
  expires: null,
  created: "2026-10-01T09:30:00.000Z",
  last_used: "2026-11-02T06:17:00.000Z",
  revoked: null,
};

export const apiKeyList: ApiKeyList = {
  rc: "SUCCESS",
  keys: [
    {
      ...listedKey,
      created_by: "account:admin@customer.example",
      old_secret_until: null,
      last_used_at: listedKey.last_used,
      revoked_at: listedKey.revoked,
    },
  ],
};

export const changedKey: ChangedKey = { rc: "SUCCESS", ...listedKey };

export const revokedKey: ChangedKey = { ...changedKey, revoked: "2026-11-02T08:00:00.000Z" };

const usageCounts: UsageCounts = {
  first_downloads: 31,
  repeats: 4,
  refused: 1,
  bytes: 1_482_920_448,
  saved_bytes: 3_120_562_176,
  keys: 2,
  addresses: 3,
};

export const usageReport: UsageReport = {
  usage: [{ period: "2027-01", dataset_id: null, format: null, ...usageCounts, closed: true }],
  from: "2027-01-01",
  to: "2027-02-01",
  totals: usageCounts,
  final_until: "2027-02-07",
  updated: "2027-02-10T09:30:00.000Z",
};
