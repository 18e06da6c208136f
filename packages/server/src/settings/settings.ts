import { isIP } from "node:net";
import { resolve } from "node:path";
import type { MailOptions } from "../adapters/mail/mailer.ts";
import { createEdgeSigner, EDGE_SIGNERS, type EdgeOptions } from "../adapters/objects/edge-links.ts";
import type { Sendfile } from "../adapters/objects/hand-over.ts";
import type { Credentials } from "../adapters/objects/sigv4.ts";
import type { ProviderOptions } from "../adapters/oidc/provider.ts";
import { type Brand, OWN_BRAND } from "../domain/brand/brand.ts";
import type { RetentionPolicy } from "../domain/retention/rules.ts";
import { SETTINGS, type Setting, type SettingName, type SettingValues } from "./table.ts";
import { isLoopback, urlHost } from "./values.ts";

/** Rows of the table that each make up a whole field. */
type OwnFields = {
  [Field in keyof SettingValues as Field extends `${string}.${string}` ? never : Field]: SettingValues[Field];
};

export interface Settings extends OwnFields {
  /** The settings that were given, as they were written. Contains secrets. */
  given: Partial<Record<SettingName, string>>;
  publicUrl: string;
  /** Set only for S3 storage. */
  aws: Credentials | undefined;
  /** Undefined: links point to the object storage itself. */
  edge: EdgeOptions | undefined;
  /** The header that makes a reverse proxy send files. Undefined: the server sends them itself. */
  sendfile: Sendfile | undefined;
  /** Null: no metrics server. */
  metrics: { host: string; port: number } | null;
  /** Undefined: no e-mails are sent, and people pass links on themselves. */
  mail: MailOptions | undefined;
  /** Undefined: people sign in with passwords only. */
  oidc: ProviderOptions | undefined;
  brand: Brand;
  retention: RetentionPolicy;
}

type Environment = Record<string, string | undefined>;

/** Lists all invalid settings, so that they can be fixed in one go. */
export class SettingsFault extends Error {
  readonly faults: string[];

  constructor(faults: string[]) {
    super(faults.join("\n"));
    this.name = "SettingsFault";
    this.faults = faults;
  }
}

export function parseSettings(environment: Environment): Settings {
  const faults: string[] = [];
  const given: Settings["given"] = {};
  const values: Record<string, unknown> = {};
  const dataDir = resolve(environment.DBDEPOT_DATA_DIR?.trim() || SETTINGS.DBDEPOT_DATA_DIR.default);
  for (const [name, row] of Object.entries<Setting>(SETTINGS)) {
    const written = environment[name]?.trim();
    if (written) given[name as SettingName] = written;
    const text = written || (row.isComputed ? "" : row.default);
    try {
      values[row.field] = row.parse(row.default.includes("<data>") ? text.replace("<data>", dataDir) : text);
    } catch (error) {
      faults.push(`${name}: ${(error as Error).message}`);
    }
  }
  const settings = combine(values as Partial<SettingValues>, faults);
  if (faults.length > 0) throw new SettingsFault(faults);
  // Every row that has no fault has a value.
  return { ...settings, given } as Settings;
}

/** Combines settings that belong together, and checks them against each other. Those that are invalid are undefined. */
function combine(values: Partial<SettingValues>, faults: string[]) {
  const own = Object.fromEntries(Object.entries(values).filter(([field]) => !field.includes(".")));
  return {
    ...own,
    ...publicUrls(values, faults),
    aws: credentials(values, faults),
    edge: edge(values, faults),
    sendfile: sendfile(values, faults),
    metrics: metrics(values),
    mail: mail(values, faults),
    oidc: oidc(values, faults),
    brand: brand(values, faults),
    retention: retention(values),
  };
}

function publicUrls(
  { host = "", port, objects, objectsPort, twoFactor, ...given }: Partial<SettingValues>,
  faults: string[],
) {
  const publicUrl = given.publicUrl ?? `http://${urlHost(host)}:${port}`;
  const gatewayUrl = objects?.store === "disk" ? `http://${urlHost(host)}:${objectsPort}` : undefined;
  const objectsPublicUrl = given.objectsPublicUrl ?? gatewayUrl;
  // If links had the API's origin, clients would send their keys to object storage.
  if (port !== 0 && publicUrl === objectsPublicUrl) {
    faults.push("DBDEPOT_OBJECTS_PUBLIC_URL: must have a different origin than DBDEPOT_PUBLIC_URL");
  }
  if (faults.length === 0 && objectsPublicUrl && isLoopback(objectsPublicUrl) && !isLoopback(publicUrl)) {
    faults.push(
      `DBDEPOT_OBJECTS_PUBLIC_URL: required because customers of ${publicUrl} cannot open links to ${objectsPublicUrl}. Set it to the public URL of port ${objectsPort}`,
    );
  }
  if (twoFactor && twoFactor !== "off" && !allowsPasskeys(publicUrl)) {
    faults.push(
      `DBDEPOT_REQUIRE_TWO_FACTOR: passkeys need https:// and a host name, so set DBDEPOT_PUBLIC_URL: it is ${publicUrl}`,
    );
  }
  return { publicUrl, objectsPublicUrl };
}

/** Browsers allow passkeys for host names with https only, and on this machine. */
function allowsPasskeys(publicUrl: string): boolean {
  const { protocol, hostname } = new URL(publicUrl);
  return isLoopback(publicUrl) || (protocol === "https:" && isIP(hostname.replace(/[[\]]/g, "")) === 0);
}

function credentials(values: Partial<SettingValues>, faults: string[]): Credentials | undefined {
  const {
    "aws.accessKeyId": accessKeyId,
    "aws.secretAccessKey": secretAccessKey,
    "aws.sessionToken": sessionToken,
  } = values;
  if (accessKeyId && secretAccessKey) return { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) };
  if (values.objects?.store === "s3") {
    faults.push("AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY: both are required for s3:// storage");
  }
  return undefined;
}

function edge(values: Partial<SettingValues>, faults: string[]): EdgeOptions | undefined {
  const { "edge.signer": signer = "s3", "edge.keyFile": keyFile = "", "edge.origins": origins = [] } = values;
  if (values.linkRegionHeader && values.trustedProxies?.length === 0) {
    faults.push("DBDEPOT_LINK_REGION_HEADER: requires DBDEPOT_TRUSTED_PROXIES, because anybody can send the header");
  }
  if (signer === "s3") {
    if (origins.length > 0) faults.push(`DBDEPOT_LINK_ORIGINS: requires DBDEPOT_LINKS=${EDGE_SIGNERS.join(" or ")}`);
    return undefined;
  }
  const [first, ...more] = origins;
  if (!first) {
    faults.push(`DBDEPOT_LINK_ORIGINS: required with DBDEPOT_LINKS=${signer}`);
    return undefined;
  }
  const isOwn = origins.some(({ base }) => new URL(base).origin === values.publicUrl);
  // Otherwise clients would send their keys to the CDN.
  if (isOwn) faults.push("DBDEPOT_LINK_ORIGINS: must have different origins than DBDEPOT_PUBLIC_URL");
  const options: EdgeOptions = { signer, keyFile, origins: [first, ...more] };
  try {
    createEdgeSigner(options);
  } catch (error) {
    faults.push(`DBDEPOT_LINK_KEY_FILE: ${(error as Error).message}`);
  }
  return options;
}

function sendfile(values: Partial<SettingValues>, faults: string[]): Sendfile | undefined {
  const { "sendfile.header": header = "off", "sendfile.prefix": prefix = "", objects, trustedProxies } = values;
  if (header === "off" || !objects) return undefined;
  if (objects.store !== "disk") {
    faults.push("DBDEPOT_SENDFILE: must be off, because DBDEPOT_OBJECTS_URL is an s3:// store");
    return undefined;
  }
  if (trustedProxies?.length === 0) {
    faults.push("DBDEPOT_SENDFILE: requires DBDEPOT_TRUSTED_PROXIES, because only a trusted proxy may send files");
  }
  return header === "x-sendfile" ? { header, folder: objects.folder } : { header, prefix };
}

function metrics({ "metrics.host": host, "metrics.port": port }: Partial<SettingValues>) {
  return port === null ? null : { host, port };
}

function mail(values: Partial<SettingValues>, faults: string[]): MailOptions | undefined {
  const { "mail.smtpUrl": smtpUrl, "mail.from": from = "" } = values;
  const { "brand.name": name = "", "brand.supportUrl": supportUrl } = values;
  if (smtpUrl === undefined) return undefined;
  if (from === "") faults.push("DBDEPOT_MAIL_FROM: required with DBDEPOT_SMTP_URL");
  const signature = [name, ...(supportUrl ? [supportUrl.replace(/^mailto:/, "")] : [])];
  return { smtpUrl, from, signature };
}

function brand(values: Partial<SettingValues>, faults: string[]): Brand {
  const { "brand.name": name = "", "brand.logo": logo, "brand.logoDark": logoDark } = values;
  if (logoDark && !logo) faults.push("DBDEPOT_BRAND_LOGO: required with DBDEPOT_BRAND_LOGO_DARK");
  return {
    name,
    logo,
    logoDark,
    shades: values["brand.shades"],
    supportUrl: values["brand.supportUrl"],
    legalLinks: values["brand.legalLinks"] ?? [],
    // The name itself says it.
    isPoweredByShown: values["brand.isPoweredByShown"] === true && (name !== OWN_BRAND.name || logo !== undefined),
  };
}

function retention(values: Partial<SettingValues>): RetentionPolicy {
  const { patchBases = 0, linkTtlSeconds = 0 } = values;
  return {
    historyDays: values["retention.historyDays"] ?? 0,
    addressDays: values["retention.addressDays"] ?? 0,
    eventDays: values["retention.eventDays"] ?? 0,
    deliveryDays: values["retention.deliveryDays"] ?? 0,
    auditDays: values["retention.auditDays"] ?? 0,
    builds: {
      count: values["retention.buildCount"] ?? 0,
      days: values["retention.buildDays"] ?? 0,
      patchBases,
      linkTtlSeconds,
    },
  };
}

function oidc(values: Partial<SettingValues>, faults: string[]): ProviderOptions | undefined {
  const { "oidc.issuer": issuer, "oidc.name": name = "" } = values;
  const { "oidc.clientId": clientId = "", "oidc.clientSecret": clientSecret = "" } = values;
  if (!issuer) return undefined;
  if (clientId === "") faults.push("DBDEPOT_OIDC_CLIENT_ID: required with DBDEPOT_OIDC_ISSUER");
  if (clientSecret === "") faults.push("DBDEPOT_OIDC_CLIENT_SECRET: required with DBDEPOT_OIDC_ISSUER");
  return { issuer, clientId, clientSecret, name };
}

/** Variables of the `dbdepot` command, which may be set on the same machine, and their old names. */
const CLIENT_VARIABLES =
  /^DBDEPOT_(CLIENT_.*|URL|(API_)?KEY(_FILE|RING)?|CONFIG|DIRECTORY|DATABASES|FORMATS|DELIVERY|DELTAS|PARALLEL|KEEP|HOOK|JITTER|INTERVAL|MAX_AGE|ON_STALE|STATUS_FILE|TRUST|FROM(_TOKEN)?)$/;

/** Names that look like settings but are not: probably typos. */
export function unknownSettings(environment: Environment): string[] {
  return Object.keys(environment).filter(
    (name) =>
      name.startsWith("DBDEPOT_") &&
      !(name in SETTINGS) &&
      !name.startsWith("DBDEPOT_TEST_") &&
      !CLIENT_VARIABLES.test(name),
  );
}
