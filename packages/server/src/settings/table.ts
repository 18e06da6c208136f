import { resolve } from "node:path";
import { parseList } from "@dbdepot/terminal/values";
import { EDGE_SIGNERS } from "../adapters/objects/edge-links.ts";
import { requireCidr } from "../domain/access/cidrs.ts";
import { requireEmail } from "../domain/access/person.ts";
import { TWO_FACTOR_POLICIES } from "../domain/accounts/passkey.ts";
import { readLogo } from "../domain/brand/logo.ts";
import { shadesOf } from "../domain/brand/shades.ts";
import { parsePrograms } from "../domain/programs/program.ts";
import * as values from "./values.ts";

export interface Setting {
  /** Its field in `Settings`. Several rows with the same name before the dot make up one field, see settings.ts. */
  field: string;
  /** The default as the documentation shows it. `<data>` is the data directory, also in values. */
  default: string;
  /** The default depends on other settings: `parse` gets an empty text if nothing is set. */
  isComputed?: true;
  meaning: string;
  /** Throws an error that says what the value must be. */
  parse(value: string): unknown;
}

const LOG_LEVELS = ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const;

const text = (value: string) => value;
const port = (value: string) => values.parseInteger(value, 0, 65_535);
const integer = (minimum: number, maximum: number) => (value: string) => values.parseInteger(value, minimum, maximum);
const days = integer(0, 36_500);
const cidrs = (value: string) => parseList(value).map(requireCidr);
const optional =
  <T>(parse: (value: string) => T) =>
  (value: string) =>
    value === "" ? undefined : parse(value);

/**
 * Every setting. The parser, the type `Settings` and the console's report follow from this table, and a test compares
 * it with docs/operate/configure.md.
 */
export const SETTINGS = {
  DBDEPOT_DATA_DIR: {
    field: "dataDir",
    default: "./data",
    meaning: "Directory for everything stored on this machine.",
    parse: (value) => resolve(value),
  },
  DBDEPOT_DATABASE_URL: {
    field: "database",
    default: "sqlite:<data>/dbdepot.sqlite",
    meaning: "Database: `sqlite:<path>` or `postgres://user:password@host/name`.",
    parse: values.parseDatabase,
  },
  DBDEPOT_MIGRATE: {
    field: "migrateOnStart",
    default: "auto",
    meaning: "`auto`: `serve` updates the schema when it starts. `never`: `serve` refuses to start on an old schema.",
    parse: (value) => values.parseChoice(value, ["auto", "never"]) === "auto",
  },
  DBDEPOT_OBJECTS_URL: {
    field: "objects",
    default: "file:<data>/objects",
    meaning: "Object storage: `file:<directory>` or `s3://bucket/prefix?region=…&endpoint=…&pathStyle=true`.",
    parse: values.parseObjects,
  },
  AWS_ACCESS_KEY_ID: {
    field: "aws.accessKeyId",
    default: "",
    meaning: "Access key id for `s3://`. Required with S3.",
    parse: text,
  },
  AWS_SECRET_ACCESS_KEY: {
    field: "aws.secretAccessKey",
    default: "",
    meaning: "Secret access key for `s3://`. Required with S3.",
    parse: text,
  },
  AWS_SESSION_TOKEN: {
    field: "aws.sessionToken",
    default: "",
    meaning: "Session token for `s3://`, if the credentials are temporary.",
    parse: text,
  },
  DBDEPOT_HOST: {
    field: "host",
    default: "127.0.0.1",
    meaning:
      "Address to listen on. By default only this machine can connect; `0.0.0.0` accepts connections from everywhere.",
    parse: text,
  },
  DBDEPOT_PORT: { field: "port", default: "8080", meaning: "Port of the API. 0 picks a free port.", parse: port },
  DBDEPOT_PUBLIC_URL: {
    field: "publicUrl",
    default: "http://<host>:<port>",
    meaning: "URL of the API as customers see it, used for links in responses.",
    isComputed: true,
    parse: optional(values.parseOrigin),
  },
  DBDEPOT_OBJECTS_PORT: {
    field: "objectsPort",
    default: "8081",
    meaning: "Port of the gateway, which serves download links for `file:` storage. 0 picks a free port.",
    parse: port,
  },
  DBDEPOT_OBJECTS_PUBLIC_URL: {
    field: "objectsPublicUrl",
    default: "http://<host>:<objects port>, or the S3 endpoint",
    meaning:
      "URL of object storage as customers see it, used for download links. Its origin must differ from the API's. Required with `file:` storage if `DBDEPOT_PUBLIC_URL` is not on this machine.",
    isComputed: true,
    parse: optional(values.parseOrigin),
  },
  DBDEPOT_LINK_TTL_SECONDS: {
    field: "linkTtlSeconds",
    default: "900",
    meaning: "How long a download link can be used to start a transfer, from 30 to 86400 seconds.",
    parse: integer(30, 86_400),
  },
  DBDEPOT_LINKS: {
    field: "edge.signer",
    default: "s3",
    meaning:
      "How links are signed: `s3` for the object storage itself, or for a CDN in front of it `cloudfront`, `hmac` or `secure_link` (nginx). See [CDN](cdn.md).",
    parse: (value) => values.parseChoice(value, ["s3", ...EDGE_SIGNERS]),
  },
  DBDEPOT_LINK_KEY_FILE: {
    field: "edge.keyFile",
    default: "",
    meaning: "File with the keys that sign links to a CDN. Required unless `DBDEPOT_LINKS` is `s3`.",
    parse: values.parseTextFile,
  },
  DBDEPOT_LINK_ORIGINS: {
    field: "edge.origins",
    default: "",
    meaning:
      "Address of the object storage at the CDN, like `https://files.example.com`, or one for each region, like `eu=https://eu.example.com,us=https://us.example.com`, of which the first is the default. Required unless `DBDEPOT_LINKS` is `s3`.",
    parse: values.parseLinkOrigins,
  },
  DBDEPOT_LINK_REGION_HEADER: {
    field: "linkRegionHeader",
    default: "",
    meaning:
      "Header in which a trusted proxy names the region of a customer whose organization has none, such as `X-Region`. Requires `DBDEPOT_TRUSTED_PROXIES`.",
    parse: values.parseHeaderName,
  },
  DBDEPOT_ORIGIN_WAIT_SECONDS: {
    field: "originWaitSeconds",
    default: "600",
    meaning:
      "With several `DBDEPOT_LINK_ORIGINS`: how long publishing waits until the files of a build are at each of them. 0 does not check.",
    parse: integer(0, 86_400),
  },
  DBDEPOT_PURGE_COMMAND: {
    field: "purgeCommand",
    default: "",
    meaning:
      "Shell command that removes files from a CDN when a build is withdrawn. It gets their paths on standard input, one per line. See [CDN](cdn.md#withdrawn-builds).",
    parse: text,
  },
  DBDEPOT_TABLE_LINK_TTL_SECONDS: {
    field: "tableLinkTtlSeconds",
    default: "21600",
    meaning:
      "How long a link to a Parquet file works, from 30 to 86400 seconds. Programs that read tables don't ask for new links, so it must suffice for slow readers.",
    parse: integer(30, 86_400),
  },
  DBDEPOT_TRUSTED_PROXIES: {
    field: "trustedProxies",
    default: "",
    meaning: "Comma-separated CIDRs of the reverse proxies whose `X-Forwarded-For` header is trusted.",
    parse: cidrs,
  },
  DBDEPOT_SENDFILE: {
    field: "sendfile.header",
    default: "off",
    meaning:
      "Lets the reverse proxy send files: `x-accel-redirect` (nginx) or `x-sendfile` (Apache, lighttpd). Requires `DBDEPOT_TRUSTED_PROXIES` and `file:` storage. See [reverse proxy](reverse-proxy.md).",
    parse: (value) => values.parseChoice(value, ["off", "x-accel-redirect", "x-sendfile"]),
  },
  DBDEPOT_ACCEL_PREFIX: {
    field: "sendfile.prefix",
    default: "/_dbdepot/objects/",
    meaning: "Internal nginx location that serves the storage directory, for `x-accel-redirect`.",
    parse: values.parseAccelPrefix,
  },
  DBDEPOT_WORKERS: {
    field: "workers",
    default: "1",
    meaning: "Number of processes that serve the API.",
    parse: integer(1, 256),
  },
  DBDEPOT_OUTAGE_GRACE_SECONDS: {
    field: "outageGraceSeconds",
    default: "3600",
    meaning:
      "How long the server keeps working from memory while the database is unreachable, before it returns 503. Changes made elsewhere in the meantime, such as a revoked key, take effect only afterwards.",
    parse: integer(0, 604_800),
  },
  DBDEPOT_HISTORY_RETENTION_DAYS: {
    field: "retention.historyDays",
    default: "0",
    meaning: "Deletes download attempts older than this many days. 0 keeps them forever.",
    parse: days,
  },
  DBDEPOT_ADDRESS_DAYS: {
    field: "retention.addressDays",
    default: "0",
    meaning:
      "Removes IP addresses and user agents after this many days, from the history, the audit log and sessions. 0 keeps them as long as the rest. See [privacy](privacy.md).",
    parse: days,
  },
  DBDEPOT_EVENT_RETENTION_DAYS: {
    field: "retention.eventDays",
    default: "30",
    meaning:
      "Deletes events older than this many days. Clients and webhooks that were unreachable for longer miss events. 0 keeps them forever.",
    parse: days,
  },
  DBDEPOT_DELIVERY_RETENTION_DAYS: {
    field: "retention.deliveryDays",
    default: "30",
    meaning: "Deletes the log of deliveries to webhooks and to buckets after this many days. 0 keeps it forever.",
    parse: days,
  },
  DBDEPOT_AUDIT_RETENTION_DAYS: {
    field: "retention.auditDays",
    default: "0",
    meaning: "Deletes audit entries older than this many days. 0 keeps them forever.",
    parse: days,
  },
  DBDEPOT_BUILD_RETENTION_COUNT: {
    field: "retention.buildCount",
    default: "0",
    meaning:
      "Number of newest builds of each version to keep, including the current one; older ones are removed. 0 sets no limit. See [retention](operate.md#retention).",
    parse: integer(0, 100_000),
  },
  DBDEPOT_BUILD_RETENTION_DAYS: {
    field: "retention.buildDays",
    default: "0",
    meaning:
      "Removes builds this many days after they were replaced. With `DBDEPOT_BUILD_RETENTION_COUNT`, a build is removed only if both settings allow it. 0 sets no limit.",
    parse: days,
  },
  DBDEPOT_RATE_LIMIT: {
    field: "rateLimit",
    default: "50:500",
    meaning: "Rate limit per key as `<requests per second>:<burst>`, or `off`.",
    parse: values.parseRateLimit,
  },
  DBDEPOT_MAX_KEYS_PER_ORGANIZATION: {
    field: "maxKeysPerOrganization",
    default: "1000",
    meaning:
      "How many live keys (neither revoked nor expired) an organization can have. Operator keys and v1 keys don't count.",
    parse: integer(1, 1_000_000),
  },
  DBDEPOT_EVENT_STREAMS: {
    field: "eventStreams",
    default: "1000",
    meaning:
      "How many event streams (`GET /api/v2/events`) can be open at a time, in each process, but never more than half of its connections. Further clients get 503.",
    parse: integer(0, 1_000_000),
  },
  DBDEPOT_EVENT_STREAMS_PER_KEY: {
    field: "eventStreamsPerKey",
    default: "20",
    meaning:
      "How many event streams a key, or a person in the console, can have open at a time, in each process. Further ones get 429.",
    parse: integer(1, 1_000_000),
  },
  DBDEPOT_EVENT_STREAMS_PER_ORGANIZATION: {
    field: "eventStreamsPerOrganization",
    default: "100",
    meaning:
      "How many event streams all keys and people of an organization can have open at a time, in each process. Further ones get 429.",
    parse: integer(1, 1_000_000),
  },
  DBDEPOT_EVALUATION_DAYS: {
    field: "evaluationDays",
    default: "30",
    meaning:
      "Days after which an evaluation licence ends, unless it is granted with an end. 0 grants it without an end.",
    parse: integer(0, 36_500),
  },
  DBDEPOT_PATCH_BASES: {
    field: "patchBases",
    default: "7",
    meaning:
      "From how many earlier builds of each version, at most, this server makes patches to the current one, in the background. 0 turns it off, for example if `dbdepot-server patches make` does it on another machine. See [patches](publish.md#patches).",
    parse: integer(0, 100),
  },
  DBDEPOT_PATCH_WAIT_SECONDS: {
    field: "patchWaitSeconds",
    default: "120",
    meaning:
      "How long after a publish `dbdepot` waits for the patch from its file, as long as this server is making it, before it downloads the whole file. 0 tells nobody to wait. See [patches](publish.md#patches).",
    parse: integer(0, 600),
  },
  DBDEPOT_SIGNING_KEYS_DIR: {
    field: "signingKeysDir",
    default: "<data>/signing-keys",
    meaning:
      "Directory of the private keys that sign builds, as PKCS#8 PEM files with mode 0600. Needed only where you publish, roll back or withdraw builds. See [signing](signing.md).",
    parse: (value) => resolve(value),
  },
  DBDEPOT_FRESHNESS_KEYS_DIR: {
    field: "freshnessKeysDir",
    default: "<data>/freshness-keys",
    meaning:
      "Directory of the private keys that sign statements of freshness, like `DBDEPOT_SIGNING_KEYS_DIR`. Needed on the servers. See [freshness](signing.md#freshness).",
    parse: (value) => resolve(value),
  },
  DBDEPOT_FRESHNESS_HOURS: {
    field: "freshnessHours",
    default: "24",
    meaning:
      "How long a statement of freshness is valid. It is renewed after half of that. 0: this server issues none and leaves that to others. Without a freshness key, there are none.",
    parse: integer(0, 720),
  },
  DBDEPOT_SECRETS_KEY_FILE: {
    field: "secretsKeyFile",
    default: "",
    meaning:
      "File with the key that encrypts access keys of customers' buckets, with mode 0600; `dbdepot-server secrets add-key` creates it. Every server and command needs it. Without it, such keys are refused. See [deliveries](deliveries.md).",
    parse: optional((value) => resolve(value)),
  },
  DBDEPOT_DELIVERY_PRINCIPAL: {
    field: "deliveryPrincipal",
    default: "",
    meaning:
      "ARN of the identity that `AWS_ACCESS_KEY_ID` belongs to, like `arn:aws:iam::123456789012:user/dbdepot`. Customers allow it in the policies of their buckets and roles. See [deliveries](deliveries.md).",
    parse: optional(text),
  },
  DBDEPOT_CLIENTS_DIR: {
    field: "clientsDir",
    default: "<data>/clients",
    meaning:
      "Directory of the packages of `dbdepot` that customers download from `/download/`: unpack `dbdepot-clients-<version>.tar` of a release into it, and restart the server.",
    parse: (value) => resolve(value),
  },
  DBDEPOT_METRICS_HOST: {
    field: "metrics.host",
    default: "127.0.0.1",
    meaning: "Address on which Prometheus metrics are served. They name your databases, so keep them internal.",
    parse: text,
  },
  DBDEPOT_METRICS_PORT: {
    field: "metrics.port",
    default: "9464",
    meaning: "Port of `/metrics`. 0 picks a free port, `off` turns it off.",
    parse: (value) => (value === "off" ? null : port(value)),
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    field: "otlpEndpoint",
    default: "",
    meaning: "URL of an OpenTelemetry collector, such as `http://127.0.0.1:4318`. See [traces](monitoring.md#traces).",
    parse: optional(values.parseOtlpEndpoint),
  },
  DBDEPOT_SHUTDOWN_SECONDS: {
    field: "shutdownSeconds",
    default: "30",
    meaning: "How long running responses may take to finish after `SIGTERM`, from 0 to 3600 seconds.",
    parse: integer(0, 3600),
  },
  DBDEPOT_SMTP_URL: {
    field: "mail.smtpUrl",
    default: "",
    meaning:
      "Mail server for invitations, password resets and [notifications](mail.md): `smtp://user:password@host:587` or `smtps://…`. Without it, you pass links on yourself. See [accounts](accounts.md).",
    parse: optional(values.parseSmtpUrl),
  },
  DBDEPOT_MAIL_FROM: {
    field: "mail.from",
    default: "",
    meaning: "Sender of e-mails, like `Depot <noreply@example.com>`. Required with `DBDEPOT_SMTP_URL`.",
    parse: text,
  },
  DBDEPOT_OPERATOR_MAIL: {
    field: "operatorMail",
    default: "",
    meaning:
      "Your e-mail address for questions about licences. Customers see it in the console, and with `DBDEPOT_SMTP_URL` it receives their requests for access. See [access requests](accounts.md#access-requests).",
    parse: optional(requireEmail),
  },
  DBDEPOT_DIGEST_HOUR: {
    field: "digestHour",
    default: "7",
    meaning:
      "Hour of the day, from 0 to 23 in UTC, at which people get their daily e-mail, if `DBDEPOT_SMTP_URL` is set. `off` turns these e-mails off. See [notifications](mail.md).",
    parse: (value) => (value === "off" ? null : values.parseInteger(value, 0, 23)),
  },
  DBDEPOT_OIDC_ISSUER: {
    field: "oidc.issuer",
    default: "",
    meaning:
      "URL of an OpenID Connect provider with which people can sign in to the console, like `https://login.example.com/realms/main`. See [OpenID Connect](console.md#sign-in-with-openid-connect).",
    parse: optional(values.parseIssuer),
  },
  DBDEPOT_OIDC_CLIENT_ID: {
    field: "oidc.clientId",
    default: "",
    meaning: "Client id that the provider gave this service. Required with `DBDEPOT_OIDC_ISSUER`.",
    parse: text,
  },
  DBDEPOT_OIDC_CLIENT_SECRET: {
    field: "oidc.clientSecret",
    default: "",
    meaning: "Client secret that the provider gave this service. Required with `DBDEPOT_OIDC_ISSUER`.",
    parse: text,
  },
  DBDEPOT_OIDC_NAME: {
    field: "oidc.name",
    default: "single sign-on",
    meaning: 'Name of the provider on the sign-in page: the button reads "Continue with …".',
    parse: text,
  },
  DBDEPOT_REQUIRE_TWO_FACTOR: {
    field: "twoFactor",
    default: "off",
    meaning:
      "Who needs a [second factor](accounts.md#second-factor) in addition to the password: `operators` (your own people), `all`, or `off`. People who sign in with OpenID Connect are not affected.",
    parse: (value) => values.parseChoice(value, TWO_FACTOR_POLICIES),
  },
  DBDEPOT_BRAND_NAME: {
    field: "brand.name",
    default: "dbdepot",
    meaning:
      "Name of your service: in the console, e-mails, the API reference, the feed and AI assistants. See [your own name](console.md#your-own-name).",
    parse: values.parseBrandName,
  },
  DBDEPOT_BRAND_LOGO: {
    field: "brand.logo",
    default: "",
    meaning: "Path of your logo, an SVG or PNG file of up to 256 KiB. It replaces the name at the top of pages.",
    parse: optional(readLogo),
  },
  DBDEPOT_BRAND_LOGO_DARK: {
    field: "brand.logoDark",
    default: "",
    meaning: "Path of your logo for dark backgrounds. By default `DBDEPOT_BRAND_LOGO` is used on both.",
    parse: optional(readLogo),
  },
  DBDEPOT_BRAND_COLOR: {
    field: "brand.shades",
    default: "",
    meaning:
      "Accent colour of the console and the API reference, like `#1a56db`. It must be dark enough for white text.",
    parse: optional(shadesOf),
  },
  DBDEPOT_SUPPORT_URL: {
    field: "brand.supportUrl",
    default: "",
    meaning: "Where people get help: an `https://` or `mailto:` URL, linked on every page and in e-mails.",
    parse: optional(values.parseLink),
  },
  DBDEPOT_LEGAL_LINKS: {
    field: "brand.legalLinks",
    default: "",
    meaning:
      "Links at the bottom of every page, comma-separated, like `Terms=https://vendor.example/terms,Privacy=https://vendor.example/privacy`.",
    parse: values.parseLegalLinks,
  },
  DBDEPOT_POWERED_BY: {
    field: "brand.isPoweredByShown",
    default: "on",
    meaning: '`on`: pages with your own name say "Powered by dbdepot" at the bottom. `off`: they don\'t.',
    parse: (value) => values.parseChoice(value, ["on", "off"]) === "on",
  },
  DBDEPOT_OAUTH_CLIENTS: {
    field: "programs",
    default: "",
    meaning:
      "More programs that people can sign in with, as `id=name,redirect…` separated by semicolons, like `desktop=Desktop app,https://app.example.com/callback`. See [programs that sign in](sign-in.md).",
    parse: parsePrograms,
  },
  DBDEPOT_WEBHOOK_PRIVATE_NETWORKS: {
    field: "webhookPrivateNetworks",
    default: "",
    meaning:
      "Comma-separated CIDRs of private networks that [webhooks](webhooks.md) may be sent to and builds [delivered](deliveries.md) to, also by `http://`. By default only public addresses are used.",
    parse: cidrs,
  },
  DBDEPOT_ACCESS_LOG: {
    field: "accessLog",
    default: "on",
    meaning:
      "`on`: every request to the API and to the gateway is logged, at the level `info`. `off`: for sites whose reverse proxy logs them already.",
    parse: (value) => values.parseChoice(value, ["on", "off"]) === "on",
  },
  DBDEPOT_LOG_LEVEL: {
    field: "logLevel",
    default: "info",
    meaning: `Log level: ${LOG_LEVELS.join(", ")}.`,
    parse: (value) => values.parseChoice(value, LOG_LEVELS),
  },
} as const satisfies Record<string, Setting>;

export type SettingName = keyof typeof SETTINGS;

/** The parsed values of all rows. */
export type SettingValues = {
  [Name in SettingName as (typeof SETTINGS)[Name]["field"]]: ReturnType<(typeof SETTINGS)[Name]["parse"]>;
};
