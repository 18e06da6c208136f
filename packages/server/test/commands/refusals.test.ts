import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { CreatedKey } from "@dbdepot/contract/iam/keys";
import { beforeAll, describe, expect, it } from "vitest";
import { engineNamed } from "../../../../rigs/harness/service/engines.ts";
import { terminalOn } from "./terminal.ts";

const UNKNOWN_ID = "0193a000-0000-7000-8000-000000000000";
const REFUSED = 1;
const USAGE = 2;

/** A wrong command line, its exit code, and part of the message on stderr. */
const CASES: [argv: string[], exitCode: number, message: string][] = [
  [["frobnicate"], USAGE, "unknown command 'frobnicate'"],
  [["orgs", "frobnicate"], USAGE, "unknown command 'frobnicate'"],
  [["orgs", "add"], USAGE, "missing required argument 'name'"],
  [["orgs", "add", "Beta", "Gamma"], USAGE, "too many arguments"],
  [["orgs", "add", "Beta", "--frob"], USAGE, "'--frob'"],
  [["orgs", "list", "--limit", "1"], USAGE, "'--limit'"],
  [["families", "add", "bogon_ip"], USAGE, "required option '--name <name>' not specified"],
  [["families", "add", "bogon_ip", "--name"], USAGE, "option '--name <name>' argument missing"],
  [["families", "add", "bogon_ip", "--name", "B", "--private=yes"], USAGE, "unknown option '--private=yes'"],
  [["licences", "grant", "Acme", "--redistribution", "internal"], USAGE, "missing required argument 'family'"],
  [["keys", "rotate"], USAGE, "missing required argument 'key'"],
  [["orgs", "add", ""], USAGE, "1 to 200 characters"],
  [["orgs", "add", "Acme"], REFUSED, '"Acme" already exists'],
  [["families", "add", "vpn-ip", "--name", "V"], USAGE, '"vpn-ip" is not a valid family name'],
  [["families", "add", "vpn_ip_v1", "--name", "V"], USAGE, "named without"],
  [["families", "add", "vpn_ip", "--name", "V"], REFUSED, "vpn_ip already exists"],
  [["versions", "add", "vpn_ip", "--summary", "S", "--formats", "csvgz"], USAGE, '"vpn_ip" is not a version id'],
  [["versions", "add", "vpn ip_v1", "--summary", "S", "--formats", "csvgz"], USAGE, '"vpn ip_v1" is not a version id'],
  [["versions", "add", "bogon_ip_v1", "--summary", "S", "--formats", "csvgz"], REFUSED, 'no family "bogon_ip"'],
  [["versions", "add", "vpn_ip_v2", "--summary", "S", "--formats", "zip"], USAGE, '"zip" is not a format'],
  [["versions", "add", "vpn_ip_v2", "--summary", "S", "--formats", ","], USAGE, "at least one format"],
  [["versions", "list", "bogon_ip"], REFUSED, 'no family "bogon_ip"'],
  [["versions", "list", "vpn_ip_v1"], REFUSED, "a version of the family vpn_ip"],
  [["licences", "grant", "Unknown", "vpn_ip", "--redistribution", "internal"], REFUSED, 'no organization "Unknown"'],
  [
    ["licences", "grant", UNKNOWN_ID, "vpn_ip", "--redistribution", "internal"],
    REFUSED,
    `no organization "${UNKNOWN_ID}"`,
  ],
  [
    ["licences", "grant", "Acme", "vpn_ip_v1", "--redistribution", "internal"],
    REFUSED,
    "a version of the family vpn_ip",
  ],
  [["licences", "grant", "Acme", "vpn_ip", "--redistribution", "resell"], USAGE, '"resell" is not a redistribution'],
  [
    ["licences", "grant", "Acme", "vpn_ip", "--redistribution=internal", "--starts=soon"],
    USAGE,
    "argument 'soon' is invalid. Use a date",
  ],
  [["licences", "grant", "Acme", "vpn_ip", "--redistribution=internal", "--expires=2027-02-30"], USAGE, "Use a date"],
  [
    ["licences", "grant", "Acme", "vpn_ip", "--redistribution=internal", "--starts=2027-02-02", "--expires=2027-02-01"],
    USAGE,
    "would end (2027-02-01T00:00:00.000Z) before it starts",
  ],
  [["licences", "renew", "nothing", "--expires", "2999-01-01"], REFUSED, 'no licence "nothing"'],
  [["licences", "renew", UNKNOWN_ID, "--expires", "1/2/2999"], USAGE, "Use a date"],
  [["licences", "end", UNKNOWN_ID], REFUSED, "no licence"],
  [["licences", "list", "Unknown"], REFUSED, 'no organization "Unknown"'],
  [["keys", "create", "--name", "ci", "--org", "Unknown"], REFUSED, 'no organization "Unknown"'],
  [["keys", "create", "--name", "", "--org", "Acme"], USAGE, "a key's name"],
  [["keys", "create", "--name", "ci", "--scopes", "db.upload"], USAGE, '"db.upload" is not a scope'],
  [["keys", "create", "--name", "ci", "--org", "Acme", "--scopes", "operator.read"], USAGE, "is an operator scope"],
  [["keys", "create", "--name", "ci", "--cidrs", "10.0.0.1/8"], USAGE, "did you mean 10.0.0.0/8?"],
  [["keys", "create", "--name", "ci", "--cidrs", "10.0.0.0/8,home"], USAGE, '"home" is not a CIDR'],
  [["keys", "create", "--name", "ci", "--expires", "2020-01-01"], USAGE, "would expire in the past"],
  [
    ["keys", "create", "--name", "ci", "--expires", "later"],
    USAGE,
    "option '--expires <time>' argument 'later' is invalid. Use a date like",
  ],
  [["keys", "rotate", "dbd_nothing0"], REFUSED, "there is no such key"],
  [["keys", "rotate", UNKNOWN_ID, "--overlap", "1 hour"], USAGE, "Must be a duration like 90s, 1h or 7d"],
  [["keys", "rotate", UNKNOWN_ID, "--overlap", "604801"], USAGE, "at most 7d"],
  [["keys", "revoke", UNKNOWN_ID], REFUSED, "there is no such key"],
  [["keys", "update", "nothing", "--name", "x"], REFUSED, "there is no such key"],
  [["keys", "list", "Unknown"], REFUSED, 'no organization "Unknown"'],
  [["legacy-keys", "create", "--name", "old", "--ids", "nothing_v1"], REFUSED, 'no version "nothing_v1"'],
  [["legacy-keys", "create", "--name", "old", "--ids", "vpn_ip"], REFUSED, "that is a family"],
  [["legacy-keys", "create", "--name", "old", "--ids", ""], USAGE, "at least one database id"],
  [["legacy-keys", "create", "--name", "old", "--ids", "vpn_ip_v1", "--uuid", "1234"], USAGE, "32 hexadecimal digits"],
  [["legacy-keys", "revoke", UNKNOWN_ID], REFUSED, "there is no such legacy key"],
  [["history", "--outcome", "lost"], USAGE, "Allowed choices are ok"],
  [["history", "--limit", "0"], USAGE, "Must be a whole number"],
  [["history", "--limit", "1e3"], USAGE, "Must be a whole number"],
  [["history", "--since", "yesterday"], USAGE, "Use a date like 2027-01-31"],
  [["history", "--org", "Unknown"], REFUSED, 'no organization "Unknown"'],
  [["history", "--key", "nothing"], REFUSED, "there is no such key"],
  [["usage", "--from", "yesterday"], USAGE, 'from: "yesterday" is not a date: use 2027-01-31'],
  [["usage", "--to", "2027-02-30"], USAGE, 'to: "2027-02-30" is not a date'],
  [["usage", "--from", "2027-02-01", "--to", "2027-02-01"], USAGE, "to must be later than from"],
  [["usage", "--by", "day", "--from", "2026-01-01", "--to", "2027-01-01"], USAGE, "choose one organization"],
  [["usage", "--by", "week"], USAGE, "Allowed choices are day, month, database"],
  [["usage", "--csv", "--json"], USAGE, "--csv and --json exclude each other"],
  [["usage", "--org", "Unknown"], REFUSED, 'no organization "Unknown"'],
  [["audit", "--limit", "-1"], USAGE, "option '--limit <n>' argument '-1'"],
  [["why", "Acme"], USAGE, "or use --request"],
  [["why", "--request", "nothing"], REFUSED, 'no download has the request id "nothing"'],
  [["why", "Unknown", "vpn_ip_v1"], REFUSED, 'no organization "Unknown"'],
  [["why", "Acme", "vpn_ip_v1", "--format", "zip"], USAGE, "Allowed choices are csvgz, mmdb"],
  [["why", "Acme", "vpn_ip_v1", "--key", "nothing"], REFUSED, "there is no such key"],
  [["builds", "publish", "vpn_ip_v1"], USAGE, "required option '--metadata <file>' not specified"],
  [["builds", "publish", "vpn_ip_v1", "--metadata", "/nothing/here"], REFUSED, "/nothing/here: no such file"],
  [["builds", "publish", "vpn_ip_v1", "--metadata", "x", "--keep", "0"], USAGE, "--keep"],
  [["builds", "list", "nothing_v1"], REFUSED, 'no version "nothing_v1"'],
  [["builds", "list", "vpn_ip"], REFUSED, "that is a family"],
  [["builds", "rollback", "nowhere_v1"], REFUSED, 'no version "nowhere_v1"'],
  [["builds", "rollback", "vpn_ip_v1"], REFUSED, "no earlier build"],
  [["builds", "rollback", "vpn_ip_v1", "--to", UNKNOWN_ID], REFUSED, `no build "${UNKNOWN_ID}"`],
  [["builds", "withdraw", UNKNOWN_ID], REFUSED, `no build "${UNKNOWN_ID}"`],
  [["builds", "sweep", "--hours", "0"], USAGE, "Must be a whole number"],
  [
    ["orgs", "list", "--env-file", "/nothing/here"],
    USAGE,
    "--env-file: cannot read /nothing/here: there is no such file",
  ],
];

// The refusals are the same on each engine.
describe("dbdepot-server on sqlite", () => {
  const terminal = terminalOn(engineNamed("sqlite"));
  let before: unknown;
  beforeAll(async () => {
    await terminal.json("orgs", "add", "Acme");
    await terminal.json("families", "add", "vpn_ip", "--name", "VPN IP");
    await terminal.json("versions", "add", "vpn_ip_v1", "--summary", "Exits", "--formats", "csvgz,mmdb");
    before = await terminal.opened.dump();
  });

  it.each(CASES)("refuses %j in one line", async (argv, exitCode, message) => {
    const result = await terminal.run(...argv);
    expect(result.exitCode).toBe(exitCode);
    expect(result.out).toBe("");
    const [line = "", ...rest] = result.err.trimEnd().split("\n");
    expect(line).toContain(message);
    expect(line).toMatch(/^dbdepot-server[^:]*: /);
    expect(rest).toEqual([]);
  });

  it("prints no document for a refusal with --json", async () => {
    const { exitCode, out, err } = await terminal.run("orgs", "add", "Acme", "--json");
    expect({ exitCode, out }).toEqual({ exitCode: 1, out: "" });
    expect(err).toBe('dbdepot-server orgs add: an organization named "Acme" already exists\n');
  });

  it("changes nothing in the database when it refuses a command", async () => {
    expect(await terminal.opened.dump()).toEqual(before);
  });

  it("does not repeat a whole key in its message", async () => {
    const { key } = await terminal.json<CreatedKey>("keys", "create", "--name=pasted", "--scopes=operator.read");
    for (const argv of [
      ["revoke", key],
      ["rotate", key],
      ["update", key, "--name", "x"],
    ]) {
      const { exitCode, err } = await terminal.run("keys", ...argv);
      expect(exitCode).toBe(REFUSED);
      expect(err).not.toContain(key.slice(13));
    }
  });

  it("refuses to work with an outdated schema, and says how to migrate it", async () => {
    await terminal.opened.query("delete from migrations");
    for (const argv of [
      ["orgs", "list"],
      ["orgs", "add", "Late"],
    ]) {
      const { exitCode, err } = await terminal.run(...argv);
      expect(exitCode).toBe(REFUSED);
      expect(err).toMatch(
        /^dbdepot-server orgs \w+: the database schema is out of date .* Run "dbdepot-server migrate"\n$/,
      );
    }
    const { exitCode, out } = await terminal.run("doctor");
    expect(exitCode).toBe(1);
    expect(out).toMatch(/^FAIL {2}database: the schema is missing 0001-foundation.*migrate"$/m);
  });
});

describe("dbdepot-server", () => {
  const terminal = terminalOn(engineNamed("sqlite"));

  it("reads settings from --env-file, but prefers the environment", async () => {
    const file = join(terminal.environment.DBDEPOT_DATA_DIR ?? "", "settings.env");
    await writeFile(file, "DBDEPOT_LOG_LEVEL=loud\nDBDEPOT_DATABASE_URL=nonsense\n");
    const { exitCode, err } = await terminal.run("orgs", "list", "--env-file", file);
    expect(exitCode).toBe(USAGE);
    expect(err).toMatch(/^dbdepot-server orgs list: DBDEPOT_LOG_LEVEL: must be one of .*not "loud"\n$/);
  });

  it("warns about a value in --env-file that was cut off, without printing it", async () => {
    const file = join(terminal.environment.DBDEPOT_DATA_DIR ?? "", "cut.env");
    await writeFile(file, "DBDEPOT_BRAND_COLOR=#0f766e\nDBDEPOT_BRAND_NAME=Acme #ter2\n");
    const { exitCode, err } = await terminal.run("orgs", "list", "--env-file", file);
    expect(exitCode).toBe(0);
    expect(err).toContain(
      `${file}: line 2: the end of DBDEPOT_BRAND_NAME is ignored. If it belongs to the value, quote`,
    );
    expect(err).not.toContain("ter2");
    expect(err).not.toContain("line 1");
  });

  it("reports an unreachable database without its password", async () => {
    terminal.environment.DBDEPOT_DATABASE_URL = "postgres://ada:hunter2@127.0.0.1:1/nothing";
    const { exitCode, out, err } = await terminal.run("orgs", "list");
    expect({ exitCode, out }).toEqual({ exitCode: REFUSED, out: "" });
    expect(err).toMatch(/^dbdepot-server orgs list: .*ECONNREFUSED.*\n$/);
    expect(err).not.toContain("hunter2");
  });
});
