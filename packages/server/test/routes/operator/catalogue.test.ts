import { Readable } from "node:stream";
import { FamilyList, VersionList } from "@dbdepot/contract/operator/catalogue";
import { OrganizationList } from "@dbdepot/contract/operator/organizations";
import { Value } from "typebox/value";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Customer } from "../../../../../rigs/harness/service/customer.ts";
import { eitherStage } from "../../../../../rigs/harness/service/stages.ts";
import { type TestService, testService } from "../../../../../rigs/harness/service/test-service.ts";
import { accountIdOf } from "../../../src/domain/access/account-id.ts";
import { publishFiles } from "../../../src/domain/builds/publishing/publish-files.ts";
import { NO_LIMITS } from "../../../src/domain/limits/limits.ts";
import { sampleBuild } from "../../domain/builds/sample-build.ts";
import { command, expectError, type Robot, robotOf } from "./robot.ts";

for (const stage of eitherStage()) {
  describe(`/api/operator/organizations, /families and /versions on ${stage.name}`, () => {
    let test: TestService;
    let robot: Robot;
    let customer: Customer;

    beforeAll(async () => {
      test = await testService(stage);
      robot = await robotOf(test);
      customer = await test.operator.customer("Customer");
    });
    afterAll(() => test.dispose());

    /** The actor and action of the latest audit entry about the subject. */
    async function lastChange(subject: string) {
      const [entry] = await test.service.services.store.audit.list({ subjects: [subject], limit: 1 });
      return entry && { actor: entry.actor, action: entry.action };
    }

    it("adds organizations and lists them like the command", async () => {
      const added = await robot.request("POST", "/organizations", { name: "  Acme  " });
      expect(added).toEqual({
        id: expect.any(String),
        name: "Acme",
        created: test.clock.now().toISOString(),
        archived: null,
        external_id: null,
        link_region: null,
        limits: NO_LIMITS,
        account_id: accountIdOf(String(added.id)),
      });
      const list = await robot.request<OrganizationList>("GET", "/organizations");
      expect(Value.Check(OrganizationList, list)).toBe(true);
      expect(list.organizations).toEqual(await command(test, "orgs", "list"));
      expect(list.organizations[0]).toEqual({ ...added, licences: 0, keys: 0, last_download: null, next_end: null });
      expect(await lastChange(String(added.id))).toEqual({
        actor: `key:${robot.prefix}`,
        action: "organization.added",
      });
    });

    it("adds public and private families and lists them like the command", async () => {
      const open = await robot.request("POST", "/families", { base: "vpn_ip", name: "VPN IP" });
      expect(open).toMatchObject({ base: "vpn_ip", name: "VPN IP", visibility: "public" });
      const secret = await robot.request("POST", "/families", { base: "x_provider", name: "X", visibility: "private" });
      const list = await robot.request<FamilyList>("GET", "/families");
      expect(Value.Check(FamilyList, list)).toBe(true);
      expect(list.families).toEqual([open, secret]);
      expect(list.families).toEqual(await command(test, "families", "list"));
      expect(await lastChange("vpn_ip")).toEqual({ actor: `key:${robot.prefix}`, action: "family.added" });
    });

    it("adds versions, which are planned until their first build, and lists them like the command", async () => {
      const body = { id: "vpn_ip_v1", summary: "Exits", formats: ["mmdb", "csvgz"] };
      const added = await robot.request("POST", "/versions", body);
      expect(added).toMatchObject({ base: "vpn_ip", version: 1, formats: ["csvgz", "mmdb"], current_build_id: null });
      expect((await customer.list()).json.databases).toEqual([]);
      expect((await customer.metadata("vpn_ip_v1")).json).toEqual({ rc: "NOT_LICENSED" });
      await robot.request("POST", "/versions", { id: "x_provider_v2", summary: "X", formats: ["csvgz"] });
      const list = await robot.request<VersionList>("GET", "/versions");
      expect(Value.Check(VersionList, list)).toBe(true);
      expect(list.versions).toEqual(await command(test, "versions", "list"));
      expect(list.versions).toHaveLength(2);
      expect(await robot.request("GET", "/versions?base=vpn_ip")).toEqual({
        versions: [{ ...added, current_build: null, update_freq: null, overdue: false, planned: true }],
      });
      expect(await lastChange("vpn_ip_v1")).toEqual({ actor: `key:${robot.prefix}`, action: "version.added" });
    });

    it("changes whether the builds of a version are compressed again", async () => {
      const recompress = async (value: boolean) => robot.request("PATCH", "/versions/vpn_ip_v1", { recompress: value });
      expect(await recompress(true)).toMatchObject({ summary: "Exits", recompress: true });
      expect(await recompress(false)).toMatchObject({ summary: "Exits", recompress: false });
    });

    it("lists versions with their current builds, and says which are overdue", async () => {
      const { store, objects } = test.service.services;
      const operation = async () => ({ store, actor: "test", now: test.clock.now() });
      const { document, files } = sampleBuild("x_provider_v2", {
        formats: ["csvgz"],
        overrides: { update_freq: "daily" },
      });
      const sources = { csvgz: Readable.from([files.csvgz]) };
      const request = { versionId: "x_provider_v2", document, files: sources, force: false };
      const { build } = await publishFiles({ operation, objects }, request);
      const listed = async () => (await robot.request<VersionList>("GET", "/versions?base=x_provider")).versions[0];
      expect(await listed()).toMatchObject({
        current_build_id: build.id,
        current_build: { id: build.id, current: true, entries: 100 },
        update_freq: "daily",
        overdue: false,
        planned: false,
      });
      test.clock.advance("2 days");
      const list = await robot.request<VersionList>("GET", "/versions");
      expect(Value.Check(VersionList, list)).toBe(true);
      expect(list.versions.map(({ id, overdue }) => [id, overdue])).toEqual([
        ["vpn_ip_v1", false],
        ["x_provider_v2", true],
      ]);
      await robot.request("PATCH", "/versions/x_provider_v2", { archived: true });
      expect(await listed()).toMatchObject({ overdue: false });
      await robot.request("PATCH", "/versions/x_provider_v2", { archived: false });
    });

    it("explains in a message why a request was refused, and changes nothing", async () => {
      const revision = await test.service.services.store.revision();
      const refusals: [path: string, body: unknown, status: number, rc: string, message: string][] = [
        ["/organizations", { name: "Acme" }, 409, "CONFLICT", 'named "Acme" already exists'],
        ["/organizations", { name: " " }, 400, "INVALID_REQUEST", "one line of 1 to 200 characters"],
        ["/organizations", { name: "a\u0000b" }, 400, "INVALID_REQUEST", "one line of 1 to 200 characters"],
        ["/organizations", {}, 400, "INVALID_REQUEST", '"name" is missing'],
        ["/organizations", { name: 5 }, 400, "INVALID_REQUEST", "name must be a single string"],
        ["/organizations", { name: "A", admin: true }, 400, "INVALID_REQUEST", 'unknown "admin"'],
        ["/organizations", [], 400, "INVALID_REQUEST", "must be an object"],
        ["/families", { base: "vpn_ip", name: "Again" }, 409, "CONFLICT", "the family vpn_ip already exists"],
        ["/families", { base: "vpn ip", name: "V" }, 400, "INVALID_REQUEST", "not a valid family name"],
        ["/families", { base: "vpn_ip_v1", name: "V" }, 400, "INVALID_REQUEST", "the id of a version"],
        ["/families", { base: "v", name: "V", visibility: "open" }, 400, "INVALID_REQUEST", "one of public, private"],
        ["/versions", { id: "vpn_ip_v1", summary: "S", formats: ["mmdb"] }, 409, "CONFLICT", "already exists"],
        ["/versions", { id: "vpn_ip", summary: "S", formats: ["mmdb"] }, 400, "INVALID_REQUEST", "not a version id"],
        ["/versions", { id: "nope_v1", summary: "S", formats: ["mmdb"] }, 404, "NOT_FOUND", 'no family "nope"'],
        ["/versions", { id: "vpn_ip_v2", summary: "S", formats: [] }, 400, "INVALID_REQUEST", "at least one format"],
        ["/versions", { id: "vpn_ip_v2", summary: "S", formats: ["zip"] }, 400, "INVALID_REQUEST", "csvgz, mmdb"],
        ["/versions", { id: "x_provider_v3", summary: "S", formats: ["mmdb"] }, 400, "INVALID_REQUEST", "provider id"],
      ];
      for (const [path, body, status, rc, message] of refusals) {
        expectError(await robot.post(path, body), status, rc, message);
      }
      expectError(await robot.get("/versions?base=nope"), 404, "NOT_FOUND", 'no family "nope"');
      expect(await test.service.services.store.revision()).toBe(revision);
    });

    it("returns 400 for unknown and invalid query parameters", async () => {
      const refusals: [path: string, message: string][] = [
        ["/families?base=vpn_ip", 'unknown "base"'],
        ["/versions?family=vpn_ip", 'unknown "family"'],
        ["/versions?base=vpn_ip&base=x_provider", "base must be a single string"],
        ["/versions?base=%00", "base contains invalid characters"],
        ["/organizations?limit=0", "limit must be >= 1"],
        ["/organizations?limit=1001", "limit must be <= 1000"],
        ["/organizations?limit=many", "limit must be an integer"],
        ["/organizations?cursor=!", "cursor contains invalid characters"],
        [`/organizations?cursor=${Buffer.from("a\0").toString("base64url")}`, "invalid cursor"],
      ];
      for (const [path, message] of refusals) expectError(await robot.get(path), 400, "INVALID_REQUEST", message);
    });

    it("returns 400, 413, 415 or an Allow header for other invalid requests", async () => {
      expect((await robot.post("/organizations", "{")).status).toBe(400);
      expect((await robot.post("/organizations", JSON.stringify({ name: "x".repeat(70_000) }))).status).toBe(413);
      const form = { "content-type": "application/x-www-form-urlencoded" };
      expect((await robot.send("POST", "/organizations", "name=Acme", form)).status).toBe(415);
      expect((await robot.send("DELETE", "/organizations")).headers.get("allow")).toBe("GET, HEAD, POST");
    });

    it("opens and closes families like the command", async () => {
      const added = await robot.request("POST", "/families", { base: "open_ip", name: "Open", open: true });
      expect(added).toMatchObject({ base: "open_ip", open: true });
      expect(await robot.request("PATCH", "/families/open_ip", { name: "Free" })).toMatchObject({ open: true });
      expect(await robot.request("PATCH", "/families/open_ip", { open: false })).toMatchObject({ open: false });
      expect(await command(test, "families", "update", "open_ip", "--open")).toMatchObject({ open: true });
      expect(await command(test, "families", "update", "open_ip", "--name", "Open")).toMatchObject({ open: true });
      expect(await command(test, "families", "update", "open_ip", "--no-open")).toMatchObject({ open: false });
      const byCommand = ["families", "add", "free_ip", "--name", "Free"];
      expect(await command(test, ...byCommand, "--open")).toMatchObject({ base: "free_ip", open: true });
      const { families } = await robot.request<FamilyList>("GET", "/families");
      expect(families).toEqual(await command(test, "families", "list"));
      expect(families.filter(({ open }) => open).map(({ base }) => base)).toEqual(["free_ip"]);
    });

    it("refuses a family that is open and private", async () => {
      const hidden = { base: "hidden_ip", name: "Hidden", visibility: "private", open: true };
      expectError(await robot.post("/families", hidden), 400, "INVALID_REQUEST", "open and private");
      const change = { visibility: "private" };
      expectError(await robot.send("PATCH", "/families/free_ip", change), 400, "INVALID_REQUEST", "open and private");
    });

    it("pages through organizations in the order of their names", async () => {
      for (const name of ["b", "B", "ä", "a b", "a,b", "Z"]) await robot.request("POST", "/organizations", { name });
      const pages = await robot.all("/organizations?limit=3", "organizations");
      expect(pages.map((page) => page.length)).toEqual([3, 3, 2]);
      expect(pages.flat()).toEqual(await command(test, "orgs", "list"));
      const exact = await robot.all("/organizations?limit=8", "organizations");
      expect(exact.map((page) => page.length)).toEqual([8]);
    });

    it("returns one organization by id or name", async () => {
      const added = await robot.request("POST", "/organizations", { name: "Zeta & Sons" });
      expect(await robot.request("GET", `/organizations/${added.id}`)).toEqual(added);
      expect(await robot.request("GET", "/organizations/Zeta%20%26%20Sons")).toEqual(added);
      for (const id of ["nothing", "0192aaaa-0000-7000-8000-000000000000", "%00"]) {
        expectError(await robot.get(`/organizations/${id}`), 404, "NOT_FOUND", "there is no organization");
      }
    });
  });
}
