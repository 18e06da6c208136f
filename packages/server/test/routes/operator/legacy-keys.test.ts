import { CreatedLegacyKey, LegacyKeyList, type OperatorLegacyKey } from "@dbdepot/contract/operator/legacy-keys";
import { Value } from "typebox/value";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call } from "../../../../../rigs/harness/service/customer.ts";
import { eitherStage } from "../../../../../rigs/harness/service/stages.ts";
import { type TestService, testService } from "../../../../../rigs/harness/service/test-service.ts";
import { command, expectError, type Robot, robotOf } from "./robot.ts";

const UUID = "c0ffee00-aaaa-4bbb-8ccc-ddddeeeeffff";

for (const stage of eitherStage()) {
  describe(`/api/operator/legacy-keys on ${stage.name}`, () => {
    let test: TestService;
    let robot: Robot;

    beforeAll(async () => {
      test = await testService(stage);
      robot = await robotOf(test);
      await test.operator.customer("Acme");
      for (const id of ["vpn_ip_v1", "bogon_ip_v1"]) await test.operator.addDatabase(id);
      await test.operator.publish("vpn_ip_v1");
    });
    afterAll(() => test.dispose());

    async function status(uuid: string): Promise<number> {
      const query = `id=vpn_ip_v1&format=mmdb&apikey=${uuid}`;
      return (await call(`${test.service.apiUrl}/api/v1/database/checksum?${query}`)).status;
    }

    function create(body: object): Promise<CreatedLegacyKey> {
      return robot.request<CreatedLegacyKey>("POST", "/legacy-keys", {
        name: "old",
        database_ids: ["vpn_ip_v1"],
        ...body,
      });
    }

    it("creates, imports and revokes v1 keys with immediate effect", async () => {
      const made = await create({ org: "Acme" });
      expect(Value.Check(CreatedLegacyKey, made)).toBe(true);
      expect(await status(made.key)).toBe(200);
      const imported = await create({ uuid: UUID.toUpperCase(), database_ids: ["bogon_ip_v1", "vpn_ip_v1"] });
      expect(imported).toMatchObject({ organization_id: null, database_ids: ["bogon_ip_v1", "vpn_ip_v1"] });
      expect(await status(UUID)).toBe(200);
      const revoked = await robot.request<OperatorLegacyKey>("POST", `/legacy-keys/${imported.id}/revoke`);
      const { key: _, ...rest } = imported;
      expect(revoked).toEqual({ ...rest, revoked: test.clock.now().toISOString(), last_used: revoked.last_used });
      expect(await status(UUID)).toBe(401);
      const entries = await test.service.services.store.audit.list({ subjects: [imported.id], limit: 9 });
      expect(entries.map(({ actor, action }) => `${actor} ${action}`)).toEqual([
        `key:${robot.prefix} legacy_key.revoked`,
        `key:${robot.prefix} legacy_key.created`,
      ]);
    });

    it("lists v1 keys in pages like the command, without their UUIDs", async () => {
      const { key } = await create({});
      const pages = await robot.all<OperatorLegacyKey>("/legacy-keys?limit=2", "legacy_keys");
      expect(pages.map((page) => page.length)).toEqual([2, 1]);
      expect(Value.Check(LegacyKeyList, { legacy_keys: pages.flat() })).toBe(true);
      expect(pages.flat()).toEqual(await command(test, "legacy-keys", "list"));
      const ofAcme = await robot.request<LegacyKeyList>("GET", "/legacy-keys?org=Acme");
      expect(ofAcme.legacy_keys).toEqual([pages.flat().at(-1)]);
      const shown = JSON.stringify([pages, await robot.all("/audit", "entries"), await test.databaseContent()]);
      for (const uuid of [key, UUID]) expect(shown.toLowerCase()).not.toContain(uuid.toLowerCase());
    });

    it("explains in a message why a request was refused, without repeating a UUID", async () => {
      const { id, key } = await create({});
      await robot.request("POST", `/legacy-keys/${id}/revoke`);
      const revision = await test.service.services.store.revision();
      const ids = ["vpn_ip_v1"];
      const refusals: [path: string, body: unknown, status: number, rc: string, message: string][] = [
        ["", { name: "x" }, 400, "INVALID_REQUEST", '"database_ids" is missing'],
        ["", { name: "x", database_ids: [] }, 400, "INVALID_REQUEST", "at least one database id"],
        ["", { name: "x", database_ids: ["nope_v1"] }, 404, "NOT_FOUND", 'no version "nope_v1"'],
        ["", { name: "x", database_ids: ["vpn_ip"] }, 404, "NOT_FOUND", "that is a family"],
        [
          "",
          { name: "x", database_ids: ["a\0"] },
          400,
          "INVALID_REQUEST",
          "database_ids.0 contains invalid characters",
        ],
        ["", { name: "x", database_ids: ids, org: "Nobody" }, 404, "NOT_FOUND", 'no organization "Nobody"'],
        ["", { name: "x", database_ids: ids, uuid: "123" }, 400, "INVALID_REQUEST", "32 hexadecimal digits"],
        [
          "",
          { name: "x", database_ids: ids, uuid: UUID },
          409,
          "CONFLICT",
          "a legacy key with this UUID already exists",
        ],
        [`/${id}/revoke`, undefined, 409, "CONFLICT", "was revoked on"],
        ["/%00/revoke", undefined, 404, "NOT_FOUND", "there is no such legacy key"],
      ];
      for (const [path, body, status, rc, message] of refusals) {
        const reply = await robot.post(`/legacy-keys${path}`, body);
        expectError(reply, status, rc, message);
        expect(reply.text).not.toContain(UUID);
      }
      const pasted = await robot.post(`/legacy-keys/${key}/revoke`);
      expectError(pasted, 404, "NOT_FOUND", "there is no such legacy key");
      expect(pasted.text).not.toContain(key);
      expect(await test.service.services.store.revision()).toBe(revision);
    });
  });
}
