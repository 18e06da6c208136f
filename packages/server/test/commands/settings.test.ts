import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { parseSettings, SettingsFault, unknownSettings } from "../../src/settings/settings.ts";
import { SETTINGS } from "../../src/settings/table.ts";
import { runCommand } from "./terminal.ts";

const S3 = {
  DBDEPOT_OBJECTS_URL: "s3://bucket/some/prefix?region=eu-west-1",
  AWS_ACCESS_KEY_ID: "id",
  AWS_SECRET_ACCESS_KEY: "s",
};

function faultsOf(environment: Record<string, string>): string[] {
  try {
    parseSettings(environment);
    return [];
  } catch (error) {
    expect(error).toBeInstanceOf(SettingsFault);
    return (error as SettingsFault).faults;
  }
}

describe("settings", () => {
  it("default to serving everything on this machine only", () => {
    expect(parseSettings({})).toMatchObject({
      dataDir: resolve("data"),
      database: { engine: "sqlite", path: resolve("data/dbdepot.sqlite") },
      migrateOnStart: true,
      objects: { store: "disk", folder: resolve("data/objects") },
      aws: undefined,
      host: "127.0.0.1",
      port: 8080,
      publicUrl: "http://127.0.0.1:8080",
      objectsPort: 8081,
      objectsPublicUrl: "http://127.0.0.1:8081",
      linkTtlSeconds: 900,
      trustedProxies: [],
      sendfile: undefined,
      workers: 1,
      outageGraceSeconds: 3600,
      retention: {
        historyDays: 0,
        addressDays: 0,
        eventDays: 30,
        deliveryDays: 30,
        auditDays: 0,
        builds: { count: 0, days: 0, patchBases: 7, linkTtlSeconds: 900 },
      },
      rateLimit: { perSecond: 50, burst: 500 },
      accessLog: true,
      logLevel: "info",
    });
  });

  it("require the client's credentials with an OpenID Connect issuer, which needs https:// unless it is on this machine", () => {
    const client = { DBDEPOT_OIDC_CLIENT_ID: "dbdepot", DBDEPOT_OIDC_CLIENT_SECRET: "s" };
    const { oidc } = parseSettings({ DBDEPOT_OIDC_ISSUER: "https://login.example/realms/main", ...client });
    expect(oidc).toMatchObject({ clientId: "dbdepot", clientSecret: "s", name: "single sign-on" });
    expect(oidc?.issuer.href).toBe("https://login.example/realms/main");
    expect(faultsOf({ DBDEPOT_OIDC_ISSUER: "http://127.0.0.1:9000", ...client })).toEqual([]);
    expect(faultsOf({ DBDEPOT_OIDC_ISSUER: "https://login.example" })).toEqual([
      "DBDEPOT_OIDC_CLIENT_ID: required with DBDEPOT_OIDC_ISSUER",
      "DBDEPOT_OIDC_CLIENT_SECRET: required with DBDEPOT_OIDC_ISSUER",
    ]);
    for (const issuer of [
      "http://login.example",
      "login.example",
      "https://login.example/?a=b",
      "ftp://login.example",
    ]) {
      expect(faultsOf({ DBDEPOT_OIDC_ISSUER: issuer, ...client })).toEqual([
        `DBDEPOT_OIDC_ISSUER: must be the https:// URL of the provider, without a query, not "${issuer}"`,
      ]);
    }
  });

  it("use their defaults if they are empty or blank", () => {
    const blank = Object.fromEntries(Object.keys(SETTINGS).map((name) => [name, "  "]));
    expect(parseSettings(blank)).toEqual(parseSettings({}));
  });

  it.each([
    [
      { DBDEPOT_DATA_DIR: "/srv/x" },
      { dataDir: "/srv/x", database: { engine: "sqlite", path: "/srv/x/dbdepot.sqlite" } },
    ],
    [{ DBDEPOT_DATABASE_URL: "sqlite:/srv/a b.db" }, { database: { engine: "sqlite", path: "/srv/a b.db" } }],
    [{ DBDEPOT_DATABASE_URL: "sqlite:x.db" }, { database: { engine: "sqlite", path: resolve("x.db") } }],
    [{ DBDEPOT_DATABASE_URL: "postgres://u:p@h/n" }, { database: { engine: "postgres", url: "postgres://u:p@h/n" } }],
    [
      { DBDEPOT_DATABASE_URL: "postgresql://h/n?x=1" },
      { database: { engine: "postgres", url: "postgresql://h/n?x=1" } },
    ],
    [{ DBDEPOT_OBJECTS_URL: "file:/srv/files" }, { objects: { store: "disk", folder: "/srv/files" } }],
    [{ DBDEPOT_OBJECTS_URL: "file:///srv/my%20files" }, { objects: { store: "disk", folder: "/srv/my files" } }],
    [S3, { objectsPublicUrl: undefined, aws: { accessKeyId: "id", secretAccessKey: "s" } }],
    [{ ...S3, AWS_SESSION_TOKEN: "t" }, { aws: { accessKeyId: "id", secretAccessKey: "s", sessionToken: "t" } }],
    [{ ...S3, DBDEPOT_OBJECTS_PUBLIC_URL: "https://files.example" }, { objectsPublicUrl: "https://files.example" }],
    [{ DBDEPOT_HOST: "0.0.0.0" }, { publicUrl: "http://localhost:8080", objectsPublicUrl: "http://localhost:8081" }],
    [{ DBDEPOT_HOST: "::1", DBDEPOT_PORT: "80" }, { publicUrl: "http://[::1]:80" }],
    [
      { DBDEPOT_PUBLIC_URL: "https://api.example/", DBDEPOT_OBJECTS_PUBLIC_URL: "https://files.example" },
      { publicUrl: "https://api.example", objectsPublicUrl: "https://files.example" },
    ],
    [
      { DBDEPOT_PUBLIC_URL: "https://api.example", DBDEPOT_HOST: "192.0.2.7" },
      { objectsPublicUrl: "http://192.0.2.7:8081" },
    ],
    [{ ...S3, DBDEPOT_PUBLIC_URL: "https://api.example", DBDEPOT_HOST: "0.0.0.0" }, { objectsPublicUrl: undefined }],
    [{ DBDEPOT_PUBLIC_URL: "http://localhost:8080" }, { objectsPublicUrl: "http://127.0.0.1:8081" }],
    [
      { DBDEPOT_PORT: "0", DBDEPOT_OBJECTS_PORT: "0" },
      { port: 0, objectsPort: 0 },
    ],
    [{ DBDEPOT_LINK_TTL_SECONDS: "30" }, { linkTtlSeconds: 30 }],
    [{ DBDEPOT_LINK_TTL_SECONDS: "86400" }, { linkTtlSeconds: 86_400 }],
    [{ DBDEPOT_TRUSTED_PROXIES: "10.0.0.0/8, ::1/128" }, { trustedProxies: ["10.0.0.0/8", "::1/128"] }],
    [
      { DBDEPOT_SENDFILE: "x-accel-redirect", DBDEPOT_TRUSTED_PROXIES: "::1/128" },
      { sendfile: { header: "x-accel-redirect", prefix: "/_dbdepot/objects/" } },
    ],
    [
      { DBDEPOT_SENDFILE: "x-accel-redirect", DBDEPOT_TRUSTED_PROXIES: "::1/128", DBDEPOT_ACCEL_PREFIX: "/a/b.c/" },
      { sendfile: { header: "x-accel-redirect", prefix: "/a/b.c/" } },
    ],
    [
      { DBDEPOT_SENDFILE: "x-sendfile", DBDEPOT_TRUSTED_PROXIES: "::1/128", DBDEPOT_OBJECTS_URL: "file:/srv/files" },
      { sendfile: { header: "x-sendfile", folder: "/srv/files" } },
    ],
    [{ DBDEPOT_RATE_LIMIT: "off" }, { rateLimit: null }],
    [{ DBDEPOT_RATE_LIMIT: "7" }, { rateLimit: { perSecond: 7, burst: 7 } }],
    [{ DBDEPOT_RATE_LIMIT: "7:70" }, { rateLimit: { perSecond: 7, burst: 70 } }],
    [{ DBDEPOT_MIGRATE: "never" }, { migrateOnStart: false }],
    [
      { DBDEPOT_WORKERS: "4", DBDEPOT_HISTORY_RETENTION_DAYS: "90", DBDEPOT_BUILD_RETENTION_COUNT: "5" },
      {
        workers: 4,
        retention: expect.objectContaining({ historyDays: 90, builds: expect.objectContaining({ count: 5 }) }),
      },
    ],
    [{ DBDEPOT_ACCESS_LOG: "off" }, { accessLog: false }],
    [{ DBDEPOT_LOG_LEVEL: "silent", PATH: "/bin", DBDEPOT_TEST_S3_URL: "x" }, { logLevel: "silent" }],
  ])("are parsed from %j", (environment, expected) => {
    expect(parseSettings(environment)).toMatchObject(expected);
  });

  it.each([
    [{ DBDEPOT_DATABASE_URL: "mysql://h/n" }, "must be sqlite:<path> or postgres://"],
    [{ DBDEPOT_DATABASE_URL: "sqlite:" }, "must be sqlite:<path> or postgres://"],
    [{ DBDEPOT_DATABASE_URL: "postgres:h" }, "must be sqlite:<path> or postgres://"],
    [{ DBDEPOT_OBJECTS_URL: "/srv/files" }, "must be file:<directory> or s3://"],
    [{ DBDEPOT_OBJECTS_URL: "file:" }, "must be file:<directory> or s3://"],
    [{ DBDEPOT_MIGRATE: "always" }, 'must be one of auto, never, not "always"'],
    [{ DBDEPOT_PORT: "http" }, "must be a whole number from 0 to 65535"],
    [{ DBDEPOT_PORT: "65536" }, "must be a whole number from 0 to 65535"],
    [{ DBDEPOT_OBJECTS_PORT: "-1" }, "must be a whole number from 0 to 65535"],
    [{ DBDEPOT_PUBLIC_URL: "api.example" }, "must be an origin"],
    [{ DBDEPOT_PUBLIC_URL: "https://api.example/base" }, "must be an origin"],
    [{ DBDEPOT_PUBLIC_URL: "ftp://api.example" }, "must be an origin"],
    [{ DBDEPOT_OBJECTS_PUBLIC_URL: "https://u:p@files.example" }, "must be an origin"],
    [{ DBDEPOT_OBJECTS_PUBLIC_URL: "http://127.0.0.1:8080" }, "different origin than DBDEPOT_PUBLIC_URL"],
    [{ DBDEPOT_LINK_TTL_SECONDS: "29" }, "from 30 to 86400"],
    [{ DBDEPOT_LINK_TTL_SECONDS: "86401" }, "from 30 to 86400"],
    [{ DBDEPOT_LINK_TTL_SECONDS: "15m" }, "from 30 to 86400"],
    [{ DBDEPOT_TRUSTED_PROXIES: "10.0.0.1" }, "write 10.0.0.1/32"],
    [{ DBDEPOT_SENDFILE: "on" }, "must be one of off, x-accel-redirect, x-sendfile"],
    [{ DBDEPOT_SENDFILE: "x-sendfile" }, "requires DBDEPOT_TRUSTED_PROXIES"],
    [
      { DBDEPOT_SENDFILE: "x-accel-redirect", DBDEPOT_TRUSTED_PROXIES: "::1/128", ...S3 },
      "must be off, because DBDEPOT_OBJECTS_URL is an s3:// store",
    ],
    [{ DBDEPOT_ACCEL_PREFIX: "/files" }, 'must start and end with "/"'],
    [{ DBDEPOT_ACCEL_PREFIX: "/files/../" }, 'must start and end with "/"'],
    [{ DBDEPOT_WORKERS: "0" }, "from 1 to 256"],
    [{ DBDEPOT_HISTORY_RETENTION_DAYS: "1.5" }, "must be a whole number"],
    [{ DBDEPOT_RATE_LIMIT: "fast" }, "like 50:500, or off"],
    [{ DBDEPOT_RATE_LIMIT: "0:0" }, "like 50:500, or off"],
    [{ DBDEPOT_LOG_LEVEL: "loud" }, 'not "loud"'],
  ] as [Record<string, string>, string][])("report one fault that names the setting for %j", (environment, message) => {
    const faults = faultsOf(environment);
    expect(faults).toHaveLength(1);
    expect(faults[0]).toMatch(new RegExp(`^${Object.keys(environment)[0]}: [^\\n]+$`));
    expect(faults[0]).toContain(message);
  });

  it("require credentials for S3", () => {
    for (const name of ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"] as const) {
      expect(faultsOf({ ...S3, [name]: "" })).toEqual([
        "AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY: both are required for s3:// storage",
      ]);
    }
  });

  it.each([
    { DBDEPOT_PUBLIC_URL: "https://api.example" },
    { DBDEPOT_PUBLIC_URL: "https://api.example", DBDEPOT_HOST: "0.0.0.0" },
    { DBDEPOT_PUBLIC_URL: "http://192.0.2.7:8080", DBDEPOT_HOST: "::" },
    { DBDEPOT_PUBLIC_URL: "https://api.example", DBDEPOT_OBJECTS_PUBLIC_URL: "http://localhost:8081" },
  ])("refuse links that customers cannot reach: %j", (environment) => {
    const faults = faultsOf(environment);
    expect(faults).toHaveLength(1);
    expect(faults[0]).toMatch(
      /^DBDEPOT_OBJECTS_PUBLIC_URL: required because customers of https?:\/\/[^ ]+ cannot open links to http:/,
    );
  });

  it("report all faults together", () => {
    const wrong = {
      DBDEPOT_PORT: "x",
      DBDEPOT_OBJECTS_PORT: "x",
      DBDEPOT_DATABASE_URL: "x",
      DBDEPOT_OBJECTS_URL: "x",
      DBDEPOT_MIGRATE: "x",
      DBDEPOT_PUBLIC_URL: "x",
      DBDEPOT_OBJECTS_PUBLIC_URL: "y",
      DBDEPOT_LINK_TTL_SECONDS: "x",
      DBDEPOT_TRUSTED_PROXIES: "x",
      DBDEPOT_SENDFILE: "x",
      DBDEPOT_ACCEL_PREFIX: "x",
      DBDEPOT_WORKERS: "x",
      DBDEPOT_HISTORY_RETENTION_DAYS: "x",
      DBDEPOT_RATE_LIMIT: "x",
      DBDEPOT_LOG_LEVEL: "x",
    };
    const named = faultsOf(wrong).map((fault) => fault.split(":")[0]);
    expect(named.sort()).toEqual(Object.keys(wrong).sort());
  });

  it("do not repeat passwords in the message about a fault", () => {
    const wrong = {
      DBDEPOT_DATABASE_URL: "postgres:ada:hunter2@h/n",
      DBDEPOT_OBJECTS_URL: "s3://ada:hunter2@bucket?region=x&secret=hunter2",
      DBDEPOT_PUBLIC_URL: "https://ada:hunter2@api.example",
      DBDEPOT_OBJECTS_PUBLIC_URL: "https://ada:hunter2@files.example",
      AWS_SECRET_ACCESS_KEY: "hunter2",
    };
    for (const [name, value] of Object.entries(wrong)) {
      const { message } = new SettingsFault(faultsOf({ ...S3, AWS_ACCESS_KEY_ID: "", [name]: value }));
      expect(message).not.toContain("hunter2");
      expect(message).not.toBe("");
    }
  });

  it("keeps secrets only in fields that a backup leaves out", () => {
    const secrets = {
      AWS_ACCESS_KEY_ID: "hunter1",
      AWS_SECRET_ACCESS_KEY: "hunter2",
      AWS_SESSION_TOKEN: "hunter3",
      DBDEPOT_SMTP_URL: "smtp://mailer:hunter4@127.0.0.1:1",
      DBDEPOT_MAIL_FROM: "a@example.com",
      DBDEPOT_OIDC_ISSUER: "https://login.example.com",
      DBDEPOT_OIDC_CLIENT_ID: "depot",
      DBDEPOT_OIDC_CLIENT_SECRET: "hunter5",
    };
    const { given: _given, aws: _aws, mail: _mail, oidc: _oidc, ...others } = parseSettings(secrets);
    expect(JSON.stringify(others)).not.toContain("hunter");
  });

  it("each have a description of one line", () => {
    for (const { meaning } of Object.values(SETTINGS)) expect(meaning).toMatch(/^[^\n]{10,}\.$/);
  });
});

describe("variables that are not settings", () => {
  const CLIENT = { DBDEPOT_CLIENT_URL: "https://depot.example", DBDEPOT_CLIENT_KEY: "dbd_x", DBDEPOT_API_KEY: "dbd_x" };

  it("are found by their prefix, except those of the dbdepot command", () => {
    expect(unknownSettings({ DBDEPOT_PROT: "80", DBDEPOT_PORT: "80", PATH: "/bin", ...CLIENT })).toEqual([
      "DBDEPOT_PROT",
    ]);
  });

  it("cause a warning, and the command still runs", async () => {
    const folder = await mkdtemp(join(tmpdir(), "dbdepot-test-"));
    const result = await runCommand(["orgs", "list"], { DBDEPOT_DATA_DIR: folder, DBDEPOT_PROT: "80", ...CLIENT });
    await rm(folder, { recursive: true });
    expect(result).toEqual({
      exitCode: 0,
      out: "No organizations yet.\n",
      err: "dbdepot-server: warning: DBDEPOT_PROT is not a setting and is ignored\n",
    });
  });
});
