import type { CreatedKey } from "@dbdepot/contract/iam/keys";
import type { AuditEntry } from "@dbdepot/contract/operator/audit";
import type { OperatorFamily, OperatorVersion } from "@dbdepot/contract/operator/catalogue";
import type { OperatorKey } from "@dbdepot/contract/operator/keys";
import type { OperatorLegacyKey } from "@dbdepot/contract/operator/legacy-keys";
import type { OperatorLicence } from "@dbdepot/contract/operator/licences";
import type { OperatorOrganization } from "@dbdepot/contract/operator/organizations";
import { describe, expect, it } from "vitest";
import { eitherEngine, engines } from "../../../../rigs/harness/service/engines.ts";
import { attempt } from "../adapters/sql/samples.ts";
import { terminalOn } from "./terminal.ts";

/** The output on each engine, compared at the end. */
const transcripts: Record<string, string[]> = {};

/** `npm run test:slow` compares the engines. */
const tested = process.env.DBDEPOT_TEST_STAGE ? engines : eitherEngine();
for (const engine of tested) {
  describe(`an operator's session on ${engine.name}`, () => {
    const terminal = terminalOn(engine);
    const transcript: string[] = [];
    transcripts[engine.name] = transcript;

    /** Runs a command that changes nothing twice, without and with --json, and returns the document. */
    async function read<T = unknown>(...argv: string[]): Promise<T> {
      const { exitCode, out, err } = await terminal.run(...argv);
      expect({ exitCode, err }).toEqual({ exitCode: 0, err: "" });
      transcript.push(`$ ${argv.join(" ")}`, out);
      return change<T>(...argv);
    }
    /** Runs a command that may change something, once and with --json, and returns the document. */
    async function change<T = unknown>(...argv: string[]): Promise<T> {
      const document = await terminal.json<T>(...argv);
      transcript.push(`$ ${argv.join(" ")} --json`, JSON.stringify(document));
      return document;
    }

    it("sets up an empty database on first use", async () => {
      expect(await terminal.opened.dump()).toEqual({});
      expect(await read("orgs", "list")).toEqual([]);
      expect(await read("migrate")).toEqual({ applied: [], newer: [] });
      for (const noun of ["families", "versions", "licences", "keys", "legacy-keys"]) {
        expect(await read(noun, "list")).toEqual([]);
      }
      expect(await read("history")).toEqual([]);
      expect(await read("audit")).toEqual([]);
    });

    it("adds families and versions", async () => {
      const family = await change("families", "add", "vpn_ip", "--name", "VPN IP");
      expect(family).toMatchObject({ base: "vpn_ip", name: "VPN IP", visibility: "public" });
      expect(await change("families", "add", "x_provider", "--name=X", "--private")).toMatchObject({
        visibility: "private",
      });
      const version = await change<OperatorVersion>(
        "versions",
        "add",
        "vpn_ip_v1",
        "--summary",
        "Exits",
        "--formats",
        "csvgz, mmdb",
      );
      expect(version).toMatchObject({ id: "vpn_ip_v1", base: "vpn_ip", version: 1, formats: ["csvgz", "mmdb"] });
      await change("versions", "add", "x_provider_v2", "--summary", "Providers", "--formats", "csvgz");
      expect((await read<OperatorFamily[]>("families", "list")).map(({ base }) => base)).toEqual([
        "vpn_ip",
        "x_provider",
      ]);
      expect(await read("versions", "list")).toHaveLength(2);
      expect(await read("versions", "list", "vpn_ip")).toEqual([
        { ...version, current_build: null, overdue: false, update_freq: null, planned: true },
      ]);
    });

    it("grants, renews and ends licences", async () => {
      const { id: acme } = await change<OperatorOrganization>("orgs", "add", "Acme");
      await change("orgs", "add", "Beta");
      const terms = [
        "--redistribution",
        "internal",
        "--starts",
        "2020-01-01",
        "--expires",
        "2030-01-01T00:00:00+01:00",
      ];
      const licence = await change<OperatorLicence>("licences", "grant", "Acme", "vpn_ip", ...terms);
      expect(licence).toMatchObject({
        organization_id: acme,
        base: "vpn_ip",
        redistribution: "internal",
        starts: "2020-01-01T00:00:00.000Z",
        expires: "2029-12-31T23:00:00.000Z",
        state: "live",
      });
      const upcoming = await change<OperatorLicence>(
        "licences",
        "grant",
        acme,
        "x_provider",
        "--redistribution=evaluation",
        "--starts=2999-01-01",
      );
      expect(upcoming).toMatchObject({ state: "upcoming", expires: "2999-01-31T00:00:00.000Z" });
      expect((await terminal.run("licences", "list")).out).toContain("starts 2999-01-01");
      expect(await change("licences", "renew", licence.id, "--expires", "never")).toEqual({
        ...licence,
        expires: null,
      });
      expect(await change("licences", "end", upcoming.id)).toMatchObject({
        state: "ended",
        expires: "2999-01-01T00:00:00.000Z",
      });
      const inOneYear = new Date();
      inOneYear.setUTCFullYear(inOneYear.getUTCFullYear() + 1);
      const second = ["licences", "grant", acme, "vpn_ip", "--redistribution=internal", "--expires=1y"];
      const { out: granted } = await terminal.run(...second);
      expect(granted).toMatch(/^organization +Acme$/m);
      expect(granted).toMatch(new RegExp(`^also live +${licence.id} with no end$`, "m"));
      expect(granted).toMatch(new RegExp(`^expires +${inOneYear.toISOString().slice(0, 10)} `, "m"));
      const secondId = /^id +(\S+)$/m.exec(granted)?.[1] ?? "";
      await terminal.json("licences", "end", secondId);
      expect(await read("licences", "list")).toHaveLength(3);
      expect(await read("licences", "list", acme)).toHaveLength(3);
      expect(await read("licences", "list", "Beta")).toEqual([]);
    });

    it("creates, updates, rotates and revokes keys, and shows each secret once", async () => {
      const options = [
        "--org",
        "Acme",
        "--scopes",
        "db.download,apikeys.manage",
        "--cidrs",
        "10.0.0.0/8, 2001:db8::/32",
      ];
      const created = await change<CreatedKey>("keys", "create", "--name", "ci", ...options, "--expires", "2999-01-01");
      expect(created).toEqual({
        rc: "SUCCESS",
        id: expect.any(String),
        name: "ci",
        key: expect.stringMatching(/^dbd_\w{8}_\w{38}$/),
        key_prefix: created.key.slice(0, 12),
        allowed_cidrs: ["10.0.0.0/8", "2001:db8::/32"],
        allowed_scopes: ["db.download", "apikeys.manage"],
      });
      const rotated = await change<CreatedKey>("keys", "rotate", created.key_prefix, "--overlap", "1h");
      expect(rotated).toEqual({ ...created, key: rotated.key, key_prefix: rotated.key_prefix });
      const updated = await change(
        "keys",
        "update",
        created.id,
        "--name",
        "cd",
        "--scopes",
        "",
        "--cidrs=",
        "--expires",
        "never",
      );
      expect(updated).toMatchObject({
        name: "cd",
        allowed_scopes: [],
        allowed_cidrs: [],
        expires: null,
        revoked: null,
      });
      expect(await read("keys", "update", created.id)).toEqual(updated);
      expect(await change("keys", "revoke", rotated.key_prefix)).toMatchObject({ revoked: expect.any(String) });
      const { key: operatorKey } = await change<CreatedKey>(
        "keys",
        "create",
        "--name",
        "robot",
        "--scopes",
        "operator.read",
      );
      const listed = await read("keys", "list");
      expect(listed).toMatchObject([{ organization_id: null, name: "robot" }, { name: "cd" }]);
      expect(await read("keys", "list", "Acme")).toHaveLength(1);
      const rest = JSON.stringify([listed, await read("audit"), await read("history")]);
      for (const secret of [created.key, rotated.key, operatorKey]) expect(rest).not.toContain(secret);
    });

    it("creates and revokes legacy keys", async () => {
      const uuid = "c0ffee00-aaaa-4bbb-8ccc-ddddeeeeffff";
      const ids = ["--ids", "vpn_ip_v1,x_provider_v2"];
      const imported = await change<OperatorLegacyKey>(
        "legacy-keys",
        "create",
        "--name",
        "old",
        ...ids,
        "--org",
        "Acme",
        "--uuid",
        uuid,
      );
      expect(imported).toMatchObject({
        name: "old",
        key: uuid,
        database_ids: ["vpn_ip_v1", "x_provider_v2"],
        revoked: null,
      });
      const created = await change<OperatorLegacyKey & { key: string }>(
        "legacy-keys",
        "create",
        "--name",
        "older",
        ...ids,
      );
      expect(created.key).toMatch(/^[0-9a-f-]{36}$/);
      expect(await change("legacy-keys", "revoke", imported.id)).toMatchObject({ revoked: expect.any(String) });
      const listed = await read("legacy-keys", "list");
      expect(listed).toMatchObject([{ id: created.id }, { id: imported.id }]);
      for (const key of [uuid, created.key]) expect(JSON.stringify([listed, await read("audit")])).not.toContain(key);
    });

    it("shows the history and the audit log", async () => {
      const [acme] = await terminal.json<[OperatorOrganization]>("orgs", "list");
      const [robot] = await terminal.json<[OperatorKey]>("keys", "list");
      const { store } = terminal.opened;
      await store.attempts.append([
        attempt({ organizationId: acme.id, keyId: robot.id }),
        attempt({ organizationId: acme.id, outcome: "denied", cause: "not_licensed", bytes: null, httpStatus: 403 }),
        attempt({ api: "v1", userAgent: "\u001b[31mred\nline" }),
      ]);
      expect(await read("history")).toHaveLength(3);
      expect(await read("history", "--org", "Acme")).toHaveLength(2);
      expect(await read("history", "--key", robot.key_prefix)).toMatchObject([{ apikey_id: robot.id, outcome: "ok" }]);
      expect(await read("history", "--outcome", "denied")).toMatchObject([{ cause: "not_licensed", http_status: 403 }]);
      expect(await read("history", "--api", "v1")).toMatchObject([{ organization_id: null, api: "v1" }]);
      expect(await read("history", "--since", "2100-01-01")).toEqual([]);
      expect(await read("history", "--since", "36500d")).toHaveLength(3);
      expect(await read("history", "--until", "36500d")).toEqual([]);
      expect(await read("history", "--until", "2100-01-01", "--database", "vpn_ip_v1")).toHaveLength(3);
      expect(await read("history", "--database", "vpn_ip_v2")).toEqual([]);
      expect(await read("history", "--limit", "1")).toHaveLength(1);
      const { out } = await terminal.run("history");
      expect(out).not.toContain("\u001b");
      expect(out.trimEnd().split("\n")).toHaveLength(4);
      expect(await read("audit", "--subject", "vpn_ip")).toMatchObject([
        { action: "family.added", actor: expect.stringMatching(/^command:./), before: null, after: { base: "vpn_ip" } },
      ]);
      expect(await read("audit", "--limit", "2")).toHaveLength(2);
      const ofAcme = (await read("audit", "--subject", "Acme")) as AuditEntry[];
      expect(ofAcme.filter(({ subject }) => subject === acme.id)).toHaveLength(1);
      expect(new Set(ofAcme.map(({ action }) => action.split(".")[0]))).toEqual(
        new Set(["organization", "licence", "key", "legacy_key"]),
      );
      expect(await read("audit", "--subject", acme.id)).toEqual(ofAcme);
      const ofKey = await terminal.json<AuditEntry[]>("audit", "--subject", robot.key_prefix);
      expect(new Set(ofKey.map(({ subject }) => subject))).toEqual(new Set([robot.id]));
      await terminal.json("orgs", "limits", "Acme", "--downloads-per-day", "1000");
      const { out: table } = await terminal.run("audit");
      expect(table).toMatch(/ organization\.added +Acme +command:\S+ +[0-9a-f-]{36}\n/);
      expect(table).toMatch(/ organization\.limits_changed +Acme +command:\S+ +[0-9a-f-]{36}\n/);
      expect(table).toMatch(/ licence\.granted +Acme vpn_ip +command:\S+ +[0-9a-f-]{36}\n/);
    });

    it("explains why a download is refused", async () => {
      const [robot, revoked] = await terminal.json<[OperatorKey, OperatorKey]>("keys", "list");
      expect(await read("why", "Acme", "vpn_ip_v1")).toMatchObject({
        granted: false,
        status: 503,
        rc: "NOT_AVAILABLE",
      });
      expect(await read("why", "Beta", "vpn_ip_v1", "--format", "mmdb")).toMatchObject({
        status: 403,
        rc: "NOT_LICENSED",
      });
      expect(await read("why", "Beta", "x_provider_v2")).toMatchObject({ status: 404, rc: "UNKNOWN_DATASET" });
      expect(await read("why", "Beta", "nothing_v1")).toMatchObject({ status: 404, rc: "UNKNOWN_DATASET" });
      const withKey = (key: string) => read("why", "Acme", "vpn_ip_v1", "--key", key);
      const refused = { granted: false, status: 401, rc: "UNAUTHORIZED" };
      expect(await withKey(robot.id)).toMatchObject({ ...refused, reason: "the key belongs to no organization" });
      expect(await withKey(revoked.key_prefix)).toMatchObject({ ...refused, reason: "the key was revoked" });
    });

    it("passes every check of doctor", async () => {
      const { ok, findings } = await terminal.json<{
        ok: boolean;
        findings: { check: string; ok: boolean; detail: string }[];
      }>("doctor");
      expect({ ok, failed: findings.filter((finding) => !finding.ok) }).toEqual({
        ok: true,
        failed: [],
      });
    });
  });
}

describe.runIf(tested.length > 1)("an operator's session", () => {
  it("prints the same on both engines, except for ids, times and secrets", () => {
    const [sqlite, postgres] = Object.values(transcripts).map((lines) => lines.map(normalize));
    expect(sqlite?.length).toBeGreaterThan(100);
    expect(postgres).toEqual(sqlite);
  });
});

function normalize(text: string): string {
  return text
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "<id>")
    .replace(/\d{4}-\d\d-\d\d[T ][\d:.]+Z/g, "<time>")
    .replace(/(?<="account_id":)\d+/g, "<account>")
    .replace(/dbd_\w{8}(_\w{38})?/g, "<key>")
    .replace(/ +/g, " ");
}
