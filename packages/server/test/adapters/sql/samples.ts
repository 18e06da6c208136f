import { hash, randomBytes } from "node:crypto";
import type { Account } from "../../../src/domain/access/account.ts";
import type { Credential } from "../../../src/domain/access/credential.ts";
import { hashSecret, PlainKey } from "../../../src/domain/access/secret.ts";
import type { Build, BuildFile } from "../../../src/domain/builds/build.ts";
import type { Family } from "../../../src/domain/catalogue/family.ts";
import type { Version } from "../../../src/domain/catalogue/version.ts";
import type { Attempt } from "../../../src/domain/downloads/attempt.ts";
import type { Event } from "../../../src/domain/events/event.ts";
import type { Key, KeySecret } from "../../../src/domain/keys/key.ts";
import type { LegacyKey } from "../../../src/domain/legacy-keys/legacy-key.ts";
import { NO_LIMITS } from "../../../src/domain/limits/limits.ts";
import type { Organization } from "../../../src/domain/organizations/organization.ts";
import type { Patch } from "../../../src/domain/patches/patch.ts";
import { type SharedFile, sharedKeyOf, type TableVersion } from "../../../src/domain/sharing/shared-table.ts";
import type { Store } from "../../../src/domain/store.ts";
import { firstIdOf, newId } from "../../../src/platform/primitives/ids.ts";
import { day } from "../../domain/licences/terms.ts";

/** Complete examples of every noun. Tests override only what matters to them. */

export function organization(but: Partial<Organization> = {}): Organization {
  const id = newId(day(0));
  return {
    id,
    name: `Acme ${id}`,
    created: day(0),
    archived: null,
    externalId: null,
    limits: NO_LIMITS,
    linkRegion: null,
    ...but,
  };
}

export function account(but: Partial<Account> = {}): Account {
  const id = newId(day(0));
  return {
    id,
    email: `${id}@example.com`,
    name: "Ada 'Ünïcødé' 🚀",
    role: "operator",
    organizationId: null,
    created: day(0),
    lastSignIn: null,
    disabled: null,
    ...but,
  };
}

export function family(but: Partial<Family> = {}): Family {
  return {
    base: `family_${unique()}`,
    name: "VPN IP",
    visibility: "public",
    created: day(0),
    archived: null,
    open: false,
    ...but,
  };
}

export function version(base: string, but: Partial<Version> = {}): Version {
  const number = but.number ?? 1;
  return {
    id: `${base}_v${number}`,
    base,
    number,
    summary: "Exit addresses of VPN services",
    formats: ["csvgz", "mmdb"],
    currentBuildId: null,
    created: day(0),
    archived: null,
    recompress: false,
    tables: false,
    ...but,
  };
}

export function build(versionId: string, but: Partial<Build> = {}): Build {
  return {
    id: newId(day(0)),
    versionId,
    state: "staged",
    metadata: Buffer.from('{"id":"vpn_ip_v1","schema":{}}'),
    updated: "2027-01-01",
    entries: 3,
    files: { csvgz: buildFile(), mmdb: buildFile({ sizeBytes: 20 }) },
    created: day(0),
    published: null,
    withdrawn: null,
    withdrawnReason: null,
    ...but,
  };
}

/** A patch to the first build from the second, or a compressed copy of the first. */
export function patch(of: Build, base: Build | null, but: Partial<Patch> = {}): Patch {
  const id = newId(day(0));
  const file = { objectKey: `${of.versionId}/${of.id}/${id}.patch`, sizeBytes: 5, sha256: hash("sha256", id) };
  return {
    id,
    versionId: of.versionId,
    format: "mmdb",
    buildId: of.id,
    baseBuildId: base?.id ?? null,
    baseSha256: base?.files.mmdb?.checksums.sha256 ?? hash("sha256", ""),
    file,
    reason: null,
    durationMs: 1200,
    created: day(0),
    ...but,
  };
}

/** A Parquet file with the rows of a build. */
export function sharedFile(of: Pick<Build, "id" | "versionId">, but: Partial<SharedFile> = {}): SharedFile {
  const id = newId(day(0));
  const { versionId, id: buildId } = of;
  return {
    id,
    versionId,
    buildId,
    content: "rows",
    number: null,
    objectKey: sharedKeyOf({ id, versionId, buildId }),
    sizeBytes: 5_000_000_000,
    sha256: hash("sha256", id),
    rows: 3_000_000_000,
    created: day(0),
    obsolete: null,
    ...but,
  };
}

/** The first version of a table. */
export function tableVersion(of: Pick<Build, "id" | "versionId">, but: Partial<TableVersion> = {}): TableVersion {
  return {
    versionId: of.versionId,
    number: 1,
    buildId: of.id,
    baseBuildId: null,
    columns: [{ name: "ip", type: "string" }],
    noChanges: null,
    changeFiles: 0,
    created: day(0),
    ...but,
  };
}

export function buildFile(but: Partial<BuildFile> = {}): BuildFile {
  const objectKey = `builds/${unique()}`;
  const [md5, sha1, sha256, sha512] = ["md5", "sha1", "sha256", "sha512"].map((name) => hash(name, objectKey));
  return { objectKey, sizeBytes: 10, checksums: { md5, sha1, sha256, sha512 } as BuildFile["checksums"], ...but };
}

export function key(but: Partial<Key> = {}): Key {
  return {
    id: newId(day(0)),
    organizationId: null,
    name: "ci",
    prefix: `dbd_${unique().slice(0, 8)}`,
    scopes: ["db.download"],
    cidrs: ["192.0.2.0/24"],
    expires: null,
    created: day(0),
    lastUsed: null,
    revoked: null,
    ...but,
  };
}

export function secret(of: Key, but: Partial<KeySecret> = {}): KeySecret {
  return {
    hash: PlainKey.generate().hash(),
    keyId: of.id,
    prefix: of.prefix,
    created: of.created,
    expires: null,
    ...but,
  };
}

/** The credential that authentication reads for a key and one of its secrets. */
export function credentialOf(
  of: Key,
  { hash, expires = null }: Pick<KeySecret, "hash"> & Partial<KeySecret>,
): Credential {
  const { id, organizationId, scopes, cidrs, revoked } = of;
  return { hash, id, organizationId, scopes, cidrs, expires: of.expires, revoked, secretExpires: expires };
}

export function legacyKey(but: Partial<LegacyKey> = {}): LegacyKey {
  return {
    id: newId(day(0)),
    organizationId: null,
    name: "old",
    hash: hashSecret(unique()),
    databaseIds: ["vpn_ip_v1"],
    created: day(0),
    lastUsed: null,
    revoked: null,
    ...but,
  };
}

export function attempt(but: Partial<Attempt> = {}): Attempt {
  return {
    id: newId(but.created ?? day(0)),
    api: "v2",
    organizationId: null,
    keyId: null,
    datasetId: "vpn_ip_v1",
    format: "mmdb",
    outcome: "ok",
    cause: null,
    bytes: 20,
    httpStatus: 302,
    buildId: null,
    clientIp: "192.0.2.7",
    userAgent: "curl/8",
    created: day(0),
    open: false,
    sample: false,
    patch: false,
    sentBytes: null,
    beginsDownload: false,
    ...but,
  };
}

export function event(but: Partial<Event> = {}): Omit<Event, "revision"> {
  return {
    id: newId(day(0)),
    type: "key.created",
    organizationId: null,
    base: null,
    data: { name: "ci" },
    created: day(0),
    ...but,
  };
}

/** An attempt whose id matches its time, even if that is before earlier attempts, as from another process. */
export function attemptAt(created: Date, but: Partial<Attempt> = {}): Attempt {
  return attempt({ id: firstIdOf(created).slice(0, 24) + unique().slice(0, 12), created, ...but });
}

/** Stores a family with its first version. */
export async function storedVersion(store: Store, but: Partial<Version> = {}): Promise<Version> {
  const added = family();
  const first = version(added.base, but);
  await store.change(async (tables) => {
    await tables.families.insert(added);
    await tables.versions.insert(first);
  });
  return first;
}

export async function storedOrganization(store: Store): Promise<Organization> {
  const added = organization();
  await store.change((tables) => tables.organizations.insert(added));
  return added;
}

function unique(): string {
  return randomBytes(8).toString("hex");
}
