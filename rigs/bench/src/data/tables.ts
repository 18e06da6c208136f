import { hash } from "node:crypto";
import {
  baseOf,
  CREATED as created,
  databaseIdOf,
  hex,
  idOf,
  keyPrefix,
  keyText,
  licencesPerOrganization,
  licensedFamily,
  organizationOfKey,
  versionNumber,
} from "./names.ts";
import { type Scale, VERSIONS_PER_FAMILY } from "./scale.ts";

export type Row = Record<string, string | number | Buffer>;

const revision = 1;
const SIZES = { csvgz: 52_428_800, mmdb: 73_400_320 };

/** The rows of every table except the history, in an order foreign keys allow. */
export function* tables(scale: Scale): Generator<[table: string, rows: Iterable<Row>]> {
  const versions = scale.families * VERSIONS_PER_FAMILY;
  yield ["organizations", times(scale.organizations, organization)];
  yield ["families", times(scale.families, family)];
  yield ["versions", times(versions, version)];
  yield ["builds", times(versions, build)];
  yield ["build_files", times(versions * 2, buildFile)];
  yield ["licences", times(scale.licences, (i) => licence(scale, i))];
  yield ["keys", times(scale.keys, (i) => key(scale, i))];
  yield ["key_secrets", times(scale.keys, keySecret)];
}

function* times(count: number, make: (number: number) => Row): Generator<Row> {
  for (let i = 0; i < count; i += 1) yield make(i);
}

function organization(i: number): Row {
  return { id: idOf("organization", i), name: `Organization ${i}`, created, revision };
}

function family(i: number): Row {
  return { base: baseOf(i), name: `Networks of kind ${i}`, visibility: "public", created, revision };
}

function version(i: number): Row {
  const { base, number, id } = versionNames(i);
  return {
    id,
    base,
    number,
    summary: `Networks with their provider, country and kind of use, edition ${number}`,
    formats: '["csvgz","mmdb"]',
    current_build_id: idOf("build", i),
    created,
    revision,
  };
}

function build(i: number): Row {
  const { id } = versionNames(i);
  return {
    id: idOf("build", i),
    version_id: id,
    state: "published",
    metadata: Buffer.from(metadataOf(id)),
    updated: "2025-01-01",
    entries: 1_000_000,
    created,
    published: created,
    revision,
  };
}

function buildFile(i: number): Row {
  const { id } = versionNames(i >> 1);
  const [format, ending] = i % 2 === 0 ? (["csvgz", "csv.gz"] as const) : (["mmdb", "mmdb"] as const);
  const digest = (length: number) => hex(i, length);
  return {
    build_id: idOf("build", i >> 1),
    format,
    object_key: `${id}/${idOf("build", i >> 1)}/${id}.${ending}`,
    size_bytes: SIZES[format],
    md5: digest(32),
    sha1: digest(40),
    sha256: digest(64),
    sha512: digest(128),
  };
}

function licence(scale: Scale, i: number): Row {
  const share = licencesPerOrganization(scale);
  const holder = Math.floor(i / share);
  return {
    id: idOf("licence", i),
    organization_id: idOf("organization", holder),
    base: baseOf(licensedFamily(scale, holder, i)),
    redistribution: "internal",
    starts: created,
    expires: "2099-01-01T00:00:00.000Z",
    created,
    revision,
  };
}

function key(scale: Scale, i: number): Row {
  return {
    id: idOf("key", i),
    organization_id: idOf("organization", organizationOfKey(scale, i)),
    name: `machine ${i}`,
    prefix: keyPrefix(i),
    scopes: '["db.download"]',
    cidrs: "[]",
    created,
    revision,
  };
}

function keySecret(i: number): Row {
  return { hash: hash("sha256", keyText(i)), key_id: idOf("key", i), prefix: keyPrefix(i), created };
}

function versionNames(i: number) {
  const family = Math.floor(i / VERSIONS_PER_FAMILY);
  const number = versionNumber(i);
  return { base: baseOf(family), number, id: databaseIdOf(family, number) };
}

/** About 2 KB, as the exporter writes for a table of eight columns. */
function metadataOf(id: string): string {
  const columns = ["network", "provider", "country", "city", "asn", "kind", "first_seen", "last_seen"];
  const schema = columns.map((name) => ({ name, type: "string", description: `The ${name} of this network` }));
  const sample = [1, 2].map((n) => Object.fromEntries(columns.map((name) => [name, `${name} ${n}`])));
  return JSON.stringify({
    id,
    update_freq: "daily",
    updated: "2025-01-01",
    entries: 1_000_000,
    schema: { csvgz: schema, mmdb: schema },
    sample: { csvgz: sample, mmdb: sample },
    size: SIZES,
  });
}
