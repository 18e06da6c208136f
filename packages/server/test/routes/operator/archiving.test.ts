import type { OperatorFamily, OperatorVersion } from "@dbdepot/contract/operator/catalogue";
import type { OperatorOrganization } from "@dbdepot/contract/operator/organizations";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Customer, expectRefusal } from "../../../../../rigs/harness/service/customer.ts";
import { eitherStage } from "../../../../../rigs/harness/service/stages.ts";
import { type TestService, testService } from "../../../../../rigs/harness/service/test-service.ts";
import { type LegacyCustomer, legacyKeyOf } from "../v1/legacy-customer.ts";
import { exported } from "./exported.ts";
import { command, expectError, type Robot, robotOf } from "./robot.ts";

const NOTHING = "/%00";

for (const stage of eitherStage()) {
  describe(`Changing and archiving on ${stage.name}`, () => {
    let test: TestService;
    let robot: Robot;
    let acme: Customer;
    let legacy: LegacyCustomer;

    beforeAll(async () => {
      test = await testService(stage);
      robot = await robotOf(test);
      acme = await test.operator.customer("Acme");
      for (const id of ["vpn_ip_v1", "vpn_ip_v2"]) {
        await test.operator.addDatabase(id);
        await test.operator.publish(id);
      }
      await test.operator.grant("Acme", "vpn_ip");
      legacy = await legacyKeyOf(test, "Acme", ["vpn_ip_v1"]);
    });
    afterAll(() => test.dispose());

    async function listed(): Promise<{ name: string; summary: string; versions: { id: string }[] }[]> {
      return (await acme.list()).json.databases;
    }

    async function audited(subject: string): Promise<unknown> {
      const [entry] = await test.service.services.store.audit.list({ subjects: [subject], limit: 1 });
      return entry;
    }

    it("changes the name and visibility of a family and the summary of a version", async () => {
      const family = await robot.request<OperatorFamily>("PATCH", "/families/vpn_ip", {
        name: "VPN",
        visibility: "private",
      });
      expect(family).toMatchObject({ base: "vpn_ip", name: "VPN", visibility: "private", archived: null });
      await robot.request<OperatorVersion>("PATCH", "/versions/vpn_ip_v2", { summary: "New words" });
      expect(await listed()).toMatchObject([{ name: "VPN", summary: "New words" }]);
      expect(await audited("vpn_ip")).toMatchObject({
        action: "family.updated",
        before: { visibility: "public" },
        after: { name: "VPN", visibility: "private" },
      });
      expect(await audited("vpn_ip_v2")).toMatchObject({ action: "version.updated", after: { summary: "New words" } });
      expect(await command(test, "families", "update", "vpn_ip", "--public")).toMatchObject({ visibility: "public" });
      expect(await command(test, "versions", "update", "vpn_ip_v2", "--summary", "x")).toMatchObject({ summary: "x" });
    });

    it("hides an archived version and refuses its downloads, on v2 and v1", async () => {
      await robot.request("PATCH", "/versions/vpn_ip_v1", { archived: true });
      expect((await listed())[0]?.versions.map(({ id }) => id)).toEqual(["vpn_ip_v2"]);
      expectRefusal(await acme.download("vpn_ip_v1", "mmdb"), 404, "UNKNOWN_DATASET");
      expectRefusal(await acme.metadata("vpn_ip_v1"), 404, "UNKNOWN_DATASET");
      expectRefusal(await legacy.download("vpn_ip_v1", "mmdb"), 404, "DB_NOT_FOUND");
      expect((await acme.download("vpn_ip_v2", "mmdb")).status).toBe(302);
      const why = await robot.request<{ rc: string; facts: { finding: string }[] }>(
        "GET",
        "/why?org=Acme&id=vpn_ip_v1",
      );
      expect(why.rc).toBe("UNKNOWN_DATASET");
      expect(why.facts.map(({ finding }) => finding).join()).toContain("archived");
      const { document } = await exported("vpn_ip_v1");
      const refused = await robot.sendBytes("POST", "/builds?version=vpn_ip_v1", document);
      expectError(refused, 409, "CONFLICT", "vpn_ip_v1 is archived");
      expect(await command(test, "versions", "unarchive", "vpn_ip_v1")).toMatchObject({ archived: null });
      await expect.poll(async () => (await acme.download("vpn_ip_v1", "mmdb")).status).toBe(302);
      expect((await legacy.download("vpn_ip_v1", "mmdb")).status).toBe(200);
    });

    it("hides an archived family with all its versions and deletes nothing", async () => {
      const { archived } = await command<OperatorFamily>(test, "families", "archive", "vpn_ip");
      expect(archived).not.toBeNull();
      expect(await command(test, "families", "archive", "vpn_ip")).toMatchObject({ archived });
      await expect.poll(listed).toEqual([]);
      expectRefusal(await acme.download("vpn_ip_v2", "mmdb"), 404, "UNKNOWN_DATASET");
      expect(await test.service.services.store.builds.list("vpn_ip_v2")).toHaveLength(1);
      await robot.request("PATCH", "/families/vpn_ip", { archived: false });
      expect((await acme.download("vpn_ip_v2", "mmdb")).status).toBe(302);
    });

    it("refuses the keys of an archived organization until it is unarchived", async () => {
      const organization = await robot.request<OperatorOrganization>("PATCH", "/organizations/Acme", {
        archived: true,
      });
      expect(organization.archived).not.toBeNull();
      expectRefusal(await acme.download("vpn_ip_v1", "mmdb"), 401, "UNAUTHORIZED");
      expectRefusal(await acme.list(), 401, "UNAUTHORIZED");
      expectRefusal(await legacy.download("vpn_ip_v1", "mmdb"), 401, "INVALID_APIKEY");
      expect(await robot.request("GET", "/why?org=Acme&id=vpn_ip_v1")).toMatchObject({
        rc: "UNAUTHORIZED",
        reason: expect.stringContaining("the organization was archived on"),
      });
      const grant = { org: "Acme", base: "vpn_ip", redistribution: "internal" };
      expectError(await robot.post("/licences", grant), 409, "CONFLICT", "is archived");
      expectError(await robot.post("/keys", { org: "Acme", name: "x" }), 409, "CONFLICT", "is archived");
      const [attempt] = (await robot.request<{ attempts: object[] }>("GET", "/history?org=Acme&limit=1")).attempts;
      expect(attempt).toMatchObject({ organization_id: acme.organizationId, cause: "revoked" });
      await robot.request("PATCH", `/organizations/${acme.organizationId}`, { archived: false });
      expect((await acme.download("vpn_ip_v1", "mmdb")).status).toBe(302);
      expect((await legacy.download("vpn_ip_v1", "mmdb")).status).toBe(200);
      expect(await audited(acme.organizationId)).toMatchObject({ action: "organization.unarchived" });
    });

    it("renames an organization, unless the name is taken", async () => {
      await test.operator.customer("Other");
      expect(await command(test, "orgs", "rename", "Acme", "Acme Inc.")).toMatchObject({ name: "Acme Inc." });
      expect(await audited(acme.organizationId)).toMatchObject({ action: "organization.renamed" });
      expect(await robot.request("PATCH", "/organizations/Acme%20Inc.", { name: "Acme" })).toMatchObject({
        id: acme.organizationId,
        name: "Acme",
      });
      expectError(
        await robot.send("PATCH", "/organizations/Acme", { name: "Other" }),
        409,
        "CONFLICT",
        "already exists",
      );
      expect((await acme.download("vpn_ip_v1", "mmdb")).status).toBe(302);
    });

    it.each(["/families/nothing", "/versions/nothing_v1", "/organizations/nothing"])(
      "returns 404 for %s",
      async (path) => {
        expectError(await robot.send("PATCH", path, { archived: true }), 404, "NOT_FOUND", "nothing");
        const folder = path.slice(0, path.lastIndexOf("/"));
        expect((await robot.send("PATCH", folder + NOTHING, { archived: true })).status).toBe(404);
      },
    );

    it("refuses unknown fields and invalid values", async () => {
      expectError(await robot.send("PATCH", "/families/vpn_ip", { base: "x" }), 400, "INVALID_REQUEST", "base");
      expectError(await robot.send("PATCH", "/families/vpn_ip", { name: " " }), 400, "INVALID_REQUEST", "name");
      expectError(await robot.send("PATCH", "/versions/vpn_ip_v1", { summary: "" }), 400, "INVALID_REQUEST", "summary");
    });
  });
}
