import { resolve } from "node:path";
import { parseList } from "@dbdepot/terminal/values";
import type { Credentials } from "../adapters/objects/sigv4.ts";
import type { DatabaseAddress } from "../adapters/sql/open.ts";
import { requireEmail } from "../domain/accounts/person.ts";
import { requireCidr } from "../domain/keys/cidrs.ts";
import type { RateLimit } from "../http/token-buckets.ts";
import type { Sendfile } from "../platform/transfers/hand-over.ts";
import * as values from "./values.ts";

/** How e-mails are sent. */
export interface MailSettings {
  smtpUrl: string;
  from: string;
}

/** The OpenID Connect provider with which people sign in. */
export interface OidcSettings {
  issuer: URL;
  clientId: string;
  clientSecret: string;
  name: string;
}

export interface Settings {
  /** The settings that were given, as they were written. Contains secrets. */
  given: Partial<Record<SettingName, string>>;
  dataDir: string;
  database: DatabaseAddress;
  /** Whether `serve` migrates the schema when it starts. */
  migrateOnStart: boolean;
  objects: values.ObjectsAddress;
  /** Set only for S3 storage. */
  aws: Credentials | undefined;
  host: string;
  port: number;
  publicUrl: string;
  objectsPort: number;
  /** Origin of download links. Undefined: the S3 endpoint itself. */
  objectsPublicUrl: string | undefined;
  linkTtlSeconds: number;
  /** CIDRs of the proxies whose X-Forwarded-For is trusted. */
  trustedProxies: string[];
  /** The header that makes a reverse proxy send files. Undefined: the server sends them itself. */
  sendfile: Sendfile | undefined;
  workers: number;
  /** Directory of the private keys that sign manifests. */
  signingKeysDir: string;
  /** How long the API serves from memory while the database is unreachable. */
  outageGraceSeconds: number;
  /** 0 keeps the history forever. */
  historyRetentionDays: number;
  rateLimit: RateLimit | null;
  maxKeysPerOrganization: number;
  /** Event streams in one process. */
  eventStreams: number;
  eventStreamsPerKey: number;
  eventStreamsPerOrganization: number;
  /** 0 grants evaluations without an end. */
  evaluationDays: number;
  logLevel: LogLevel;
  /** Whether every request is logged. */
  accessLog: boolean;
  /** Null: no metrics server. */
  metrics: { host: string; port: number } | null;
  /** Undefined: traces are not exported. */
  otlpEndpoint: string | undefined;
  shutdownSeconds: number;
  /** Undefined: no e-mails are sent, and people pass links on themselves. */
  mail: MailSettings | undefined;
  /** Where customers ask for licences. Undefined: they are told to contact the vendor. */
  operatorMail: string | undefined;
  /** Undefined: people sign in with passwords only. */
  oidc: OidcSettings | undefined;
  /** CIDRs of private networks that webhooks may be sent to. */
  webhookPrivateNetworks: string[];
}

const LOG_LEVELS = ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const;
type LogLevel = (typeof LOG_LEVELS)[number];

/** Every setting and its default. A test compares this table with docs/operate/configure.md. */
export const SETTINGS = {
  DBDEPOT_DATA_DIR: { default: "./data", meaning: "Directory for everything stored on this machine." },
  DBDEPOT_DATABASE_URL: {
    default: "sqlite:<data>/dbdepot.sqlite",
    meaning: "Database: `sqlite:<path>` or `postgres://user:password@host/name`.",
  },
  DBDEPOT_MIGRATE: {
    default: "auto",
    meaning: "`auto`: `serve` updates the schema when it starts. `never`: `serve` refuses to start on an old schema.",
  },
  DBDEPOT_OBJECTS_URL: {
    default: "file:<data>/objects",
    meaning: "Object storage: `file:<directory>` or `s3://bucket/prefix?region=…&endpoint=…&pathStyle=true`.",
  },
  AWS_ACCESS_KEY_ID: { default: "", meaning: "Access key id for `s3://`. Required with S3." },
  AWS_SECRET_ACCESS_KEY: { default: "", meaning: "Secret access key for `s3://`. Required with S3." },
  AWS_SESSION_TOKEN: { default: "", meaning: "Session token for `s3://`, if the credentials are temporary." },
  DBDEPOT_HOST: {
    default: "127.0.0.1",
    meaning:
      "Address to listen on. By default only this machine can connect; `0.0.0.0` accepts connections from everywhere.",
  },
  DBDEPOT_PORT: { default: "8080", meaning: "Port of the API. 0 picks a free port." },
  DBDEPOT_PUBLIC_URL: {
    default: "http://<host>:<port>",
    meaning: "URL of the API as customers see it, used for links in responses.",
  },
  DBDEPOT_OBJECTS_PORT: {
    default: "8081",
    meaning: "Port of the gateway, which serves download links for `file:` storage. 0 picks a free port.",
  },
  DBDEPOT_OBJECTS_PUBLIC_URL: {
    default: "http://<host>:<objects port>, or the S3 endpoint",
    meaning:
      "URL of object storage as customers see it, used for download links. Its origin must differ from the API's. Required with `file:` storage if `DBDEPOT_PUBLIC_URL` is not on this machine.",
  },
  DBDEPOT_LINK_TTL_SECONDS: {
    default: "900",
    meaning: "How long a download link can be used to start a transfer, from 30 to 86400 seconds.",
  },
  DBDEPOT_TRUSTED_PROXIES: {
    default: "",
    meaning: "Comma-separated CIDRs of the reverse proxies whose `X-Forwarded-For` header is trusted.",
  },
  DBDEPOT_SENDFILE: {
    default: "off",
    meaning:
      "Lets the reverse proxy send files: `x-accel-redirect` (nginx) or `x-sendfile` (Apache, lighttpd). Requires `DBDEPOT_TRUSTED_PROXIES` and `file:` storage. See [reverse proxy](reverse-proxy.md).",
  },
  DBDEPOT_ACCEL_PREFIX: {
    default: "/_dbdepot/objects/",
    meaning: "Internal nginx location that serves the storage directory, for `x-accel-redirect`.",
  },
  DBDEPOT_WORKERS: { default: "1", meaning: "Number of processes that serve the API." },
  DBDEPOT_OUTAGE_GRACE_SECONDS: {
    default: "3600",
    meaning:
      "How long the server keeps working from memory while the database is unreachable, before it returns 503. Changes made elsewhere in the meantime, such as a revoked key, take effect only afterwards.",
  },
  DBDEPOT_HISTORY_RETENTION_DAYS: {
    default: "0",
    meaning: "Deletes download attempts older than this many days. 0 keeps them forever.",
  },
  DBDEPOT_RATE_LIMIT: {
    default: "50:500",
    meaning: "Rate limit per key as `<requests per second>:<burst>`, or `off`.",
  },
  DBDEPOT_MAX_KEYS_PER_ORGANIZATION: {
    default: "1000",
    meaning:
      "How many live keys (neither revoked nor expired) an organization can have. Operator keys and v1 keys don't count.",
  },
  DBDEPOT_EVENT_STREAMS: {
    default: "1000",
    meaning:
      "How many event streams (`GET /api/v2/events`) can be open at a time, in each process, but never more than half of its connections. Further clients get 503.",
  },
  DBDEPOT_EVENT_STREAMS_PER_KEY: {
    default: "20",
    meaning:
      "How many event streams a key, or a person in the console, can have open at a time, in each process. Further ones get 429.",
  },
  DBDEPOT_EVENT_STREAMS_PER_ORGANIZATION: {
    default: "100",
    meaning:
      "How many event streams all keys and people of an organization can have open at a time, in each process. Further ones get 429.",
  },
  DBDEPOT_EVALUATION_DAYS: {
    default: "30",
    meaning:
      "Days after which an evaluation licence ends, unless it is granted with an end. 0 grants it without an end.",
  },
  DBDEPOT_SIGNING_KEYS_DIR: {
    default: "<data>/signing-keys",
    meaning:
      "Directory of the private keys that sign builds, as PKCS#8 PEM files with mode 0600. Needed only where you publish, roll back or withdraw builds. See [signing](signing.md).",
  },
  DBDEPOT_METRICS_HOST: {
    default: "127.0.0.1",
    meaning: "Address on which Prometheus metrics are served. They name your databases, so keep them internal.",
  },
  DBDEPOT_METRICS_PORT: {
    default: "9464",
    meaning: "Port of `/metrics`. 0 picks a free port, `off` turns it off.",
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    default: "",
    meaning: "URL of an OpenTelemetry collector, such as `http://127.0.0.1:4318`. See [traces](monitoring.md#traces).",
  },
  DBDEPOT_SHUTDOWN_SECONDS: {
    default: "30",
    meaning: "How long running responses may take to finish after `SIGTERM`, from 0 to 3600 seconds.",
  },
  DBDEPOT_SMTP_URL: {
    default: "",
    meaning:
      "Mail server for invitations and password resets: `smtp://user:password@host:587` or `smtps://…`. Without it, you pass links on yourself. See [accounts](accounts.md).",
  },
  DBDEPOT_MAIL_FROM: {
    default: "",
    meaning: "Sender of e-mails, like `Depot <noreply@example.com>`. Required with `DBDEPOT_SMTP_URL`.",
  },
  DBDEPOT_OPERATOR_MAIL: {
    default: "",
    meaning:
      "Your e-mail address for questions about licences. Customers see it in the console, and with `DBDEPOT_SMTP_URL` it receives their requests for access. See [access requests](accounts.md#access-requests).",
  },
  DBDEPOT_OIDC_ISSUER: {
    default: "",
    meaning:
      "URL of an OpenID Connect provider with which people can sign in to the console, like `https://login.example.com/realms/main`. See [OpenID Connect](console.md#sign-in-with-openid-connect).",
  },
  DBDEPOT_OIDC_CLIENT_ID: {
    default: "",
    meaning: "Client id that the provider gave this service. Required with `DBDEPOT_OIDC_ISSUER`.",
  },
  DBDEPOT_OIDC_CLIENT_SECRET: {
    default: "",
    meaning: "Client secret that the provider gave this service. Required with `DBDEPOT_OIDC_ISSUER`.",
  },
  DBDEPOT_OIDC_NAME: {
    default: "single sign-on",
    meaning: 'Name of the provider on the sign-in page: the button reads "Continue with …".',
  },
  DBDEPOT_WEBHOOK_PRIVATE_NETWORKS: {
    default: "",
    meaning:
      "Comma-separated CIDRs of private networks that [webhooks](webhooks.md) may be sent to, also by `http://`. By default they are sent to public addresses only.",
  },
  DBDEPOT_ACCESS_LOG: {
    default: "on",
    meaning:
      "`on`: every request to the API and to the gateway is logged, at the level `info`. `off`: for sites whose reverse proxy logs them already.",
  },
  DBDEPOT_LOG_LEVEL: { default: "info", meaning: `Log level: ${LOG_LEVELS.join(", ")}.` },
} as const;

export type SettingName = keyof typeof SETTINGS;
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
  const text = (name: SettingName): string => environment[name]?.trim() || SETTINGS[name].default;
  const read = <T>(name: SettingName, parse: (text: string) => T): T | undefined => {
    try {
      return parse(text(name));
    } catch (error) {
      faults.push(`${name}: ${(error as Error).message}`);
      return undefined;
    }
  };

  const dataDir = resolve(text("DBDEPOT_DATA_DIR"));
  const inDataDir = (value: string) => value.replace("<data>", dataDir);
  const host = text("DBDEPOT_HOST");
  const port = read("DBDEPOT_PORT", values.parsePort);
  const objectsPort = read("DBDEPOT_OBJECTS_PORT", values.parsePort);
  const objects = read("DBDEPOT_OBJECTS_URL", (value) => values.parseObjects(inDataDir(value)));
  const aws = readCredentials(environment);
  if (objects?.store === "s3" && !aws) {
    faults.push("AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY: both are required for s3:// storage");
  }
  const trustedProxies = read("DBDEPOT_TRUSTED_PROXIES", (value) => parseList(value).map(requireCidr));
  const accelPrefix = read("DBDEPOT_ACCEL_PREFIX", values.parseAccelPrefix);
  const names = Object.keys(SETTINGS) as SettingName[];
  const settings = {
    given: Object.fromEntries(names.flatMap((name) => (environment[name]?.trim() ? [[name, text(name)]] : []))),
    dataDir,
    database: read("DBDEPOT_DATABASE_URL", (value) => values.parseDatabase(inDataDir(value))),
    migrateOnStart: read("DBDEPOT_MIGRATE", (value) => values.parseChoice(value, ["auto", "never"]) === "auto"),
    objects,
    aws,
    host,
    port,
    publicUrl: readUrl("DBDEPOT_PUBLIC_URL", `http://${values.urlHost(host)}:${port}`),
    objectsPort,
    objectsPublicUrl: readUrl(
      "DBDEPOT_OBJECTS_PUBLIC_URL",
      objects?.store === "disk" ? `http://${values.urlHost(host)}:${objectsPort}` : undefined,
    ),
    linkTtlSeconds: read("DBDEPOT_LINK_TTL_SECONDS", (value) => values.parseInteger(value, 30, 86_400)),
    trustedProxies,
    sendfile: read("DBDEPOT_SENDFILE", parseSendfile),
    workers: read("DBDEPOT_WORKERS", (value) => values.parseInteger(value, 1, 256)),
    outageGraceSeconds: read("DBDEPOT_OUTAGE_GRACE_SECONDS", (value) => values.parseInteger(value, 0, 604_800)),
    historyRetentionDays: read("DBDEPOT_HISTORY_RETENTION_DAYS", (value) => values.parseInteger(value, 0, 36_500)),
    rateLimit: read("DBDEPOT_RATE_LIMIT", values.parseRateLimit),
    maxKeysPerOrganization: read("DBDEPOT_MAX_KEYS_PER_ORGANIZATION", (value) =>
      values.parseInteger(value, 1, 1_000_000),
    ),
    eventStreams: read("DBDEPOT_EVENT_STREAMS", (value) => values.parseInteger(value, 0, 1_000_000)),
    eventStreamsPerKey: read("DBDEPOT_EVENT_STREAMS_PER_KEY", (value) => values.parseInteger(value, 1, 1_000_000)),
    eventStreamsPerOrganization: read("DBDEPOT_EVENT_STREAMS_PER_ORGANIZATION", (value) =>
      values.parseInteger(value, 1, 1_000_000),
    ),
    evaluationDays: read("DBDEPOT_EVALUATION_DAYS", (value) => values.parseInteger(value, 0, 36_500)),
    signingKeysDir: resolve(inDataDir(text("DBDEPOT_SIGNING_KEYS_DIR"))),
    metrics: readMetrics(),
    otlpEndpoint: read("OTEL_EXPORTER_OTLP_ENDPOINT", values.parseOtlpEndpoint),
    shutdownSeconds: read("DBDEPOT_SHUTDOWN_SECONDS", (value) => values.parseInteger(value, 0, 3600)),
    mail: readMail(),
    operatorMail: read("DBDEPOT_OPERATOR_MAIL", (value) => (value === "" ? undefined : requireEmail(value))),
    oidc: readOidc(),
    webhookPrivateNetworks: read("DBDEPOT_WEBHOOK_PRIVATE_NETWORKS", (value) => parseList(value).map(requireCidr)),
    accessLog: read("DBDEPOT_ACCESS_LOG", (value) => values.parseChoice(value, ["on", "off"]) === "on"),
    logLevel: read("DBDEPOT_LOG_LEVEL", (value) => values.parseChoice(value, LOG_LEVELS)),
  };
  // If links had the API's origin, clients would send their keys to object storage.
  const { publicUrl, objectsPublicUrl } = settings;
  if (port !== 0 && publicUrl && publicUrl === objectsPublicUrl) {
    faults.push("DBDEPOT_OBJECTS_PUBLIC_URL: must have a different origin than DBDEPOT_PUBLIC_URL");
  }
  if (
    faults.length === 0 &&
    publicUrl &&
    objectsPublicUrl &&
    values.isLoopback(objectsPublicUrl) &&
    !values.isLoopback(publicUrl)
  ) {
    faults.push(
      `DBDEPOT_OBJECTS_PUBLIC_URL: required because customers of ${publicUrl} cannot open links to ${objectsPublicUrl}. Set it to the public URL of port ${objectsPort}`,
    );
  }
  if (faults.length > 0) throw new SettingsFault(faults);
  // Without a fault, every setting has a value.
  return settings as Settings;

  function parseSendfile(value: string): Sendfile | undefined {
    const header = values.parseChoice(value, ["off", "x-accel-redirect", "x-sendfile"]);
    if (header === "off" || !objects) return undefined;
    if (objects.store !== "disk") throw new Error("must be off, because DBDEPOT_OBJECTS_URL is an s3:// store");
    if (text("DBDEPOT_TRUSTED_PROXIES") === "") {
      throw new Error("requires DBDEPOT_TRUSTED_PROXIES, because only a trusted proxy may send files");
    }
    return header === "x-sendfile" ? { header, folder: objects.folder } : { header, prefix: accelPrefix ?? "" };
  }

  function readMetrics() {
    if (text("DBDEPOT_METRICS_PORT") === "off") return null;
    return { host: text("DBDEPOT_METRICS_HOST"), port: read("DBDEPOT_METRICS_PORT", values.parsePort) };
  }

  function readMail(): MailSettings | undefined {
    const smtpUrl = read("DBDEPOT_SMTP_URL", values.parseSmtpUrl);
    const from = text("DBDEPOT_MAIL_FROM");
    if (smtpUrl !== undefined && from === "") faults.push("DBDEPOT_MAIL_FROM: required with DBDEPOT_SMTP_URL");
    return smtpUrl === undefined ? undefined : { smtpUrl, from };
  }

  function readOidc(): OidcSettings | undefined {
    const issuer = read("DBDEPOT_OIDC_ISSUER", values.parseIssuer);
    if (!issuer) return undefined;
    const required = ["DBDEPOT_OIDC_CLIENT_ID", "DBDEPOT_OIDC_CLIENT_SECRET"] as const;
    for (const name of required) if (text(name) === "") faults.push(`${name}: required with DBDEPOT_OIDC_ISSUER`);
    const [clientId, clientSecret] = [text("DBDEPOT_OIDC_CLIENT_ID"), text("DBDEPOT_OIDC_CLIENT_SECRET")];
    return { issuer, clientId, clientSecret, name: text("DBDEPOT_OIDC_NAME") };
  }

  function readUrl(name: SettingName, fallback: string | undefined): string | undefined {
    return environment[name]?.trim() ? read(name, values.parseOrigin) : fallback;
  }
}

/** Variables of the `dbdepot` command, which may be set on the same machine, and their old names. */
const CLIENT_VARIABLES =
  /^DBDEPOT_(CLIENT_.*|URL|(API_)?KEY(_FILE)?|CONFIG|DIRECTORY|DATABASES|FORMATS|DELIVERY|PARALLEL|KEEP|HOOK|JITTER|INTERVAL|MAX_AGE|STATUS_FILE|TRUST|FROM)$/;

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

function readCredentials(environment: Environment): Credentials | undefined {
  const accessKeyId = environment.AWS_ACCESS_KEY_ID?.trim();
  const secretAccessKey = environment.AWS_SECRET_ACCESS_KEY?.trim();
  const sessionToken = environment.AWS_SESSION_TOKEN?.trim();
  if (!accessKeyId || !secretAccessKey) return undefined;
  return { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) };
}
