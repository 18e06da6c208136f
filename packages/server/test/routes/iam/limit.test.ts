import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectRefusal } from "../../../../../rigs/harness/service/customer.ts";
import { eitherStage } from "../../../../../rigs/harness/service/stages.ts";
import { type TestService, testService } from "../../../../../rigs/harness/service/test-service.ts";
import { expectError, robotOf } from "../operator/robot.ts";
import { newAdmin } from "./admin.ts";

const LIMIT = 4;
const SOON = (test: TestService) => new Date(test.clock.now().getTime() + 60_000).toISOString();

for (const stage of eitherStage()) {
  describe(`The limit of live keys per organization on ${stage.name}`, () => {
    let test: TestService;

    beforeAll(async () => {
      test = await testService(stage, { DBDEPOT_MAX_KEYS_PER_ORGANIZATION: String(LIMIT) });
    });
    afterAll(() => test.dispose());

    /** Adds an organization with LIMIT - 1 keys, including the keys of the customer and of the admin. */
    const almostFull = async (name: string) => {
      const admin = await newAdmin(test, name);
      const spare = (await admin.create({ name: "spare" })).json;
      return { admin, spare };
    };

    it("makes both APIs return 409 TOO_MANY_KEYS until a key is revoked", async () => {
      const { admin, spare } = await almostFull("Full");
      const robot = await robotOf(test);
      expect((await admin.create({ name: "last" })).status).toBe(200);
      expectRefusal(await admin.create({ name: "too many" }), 409, "TOO_MANY_KEYS");
      expectError(await robot.post("/keys", { name: "too many", org: "Full" }), 409, "TOO_MANY_KEYS", "4 live keys");
      expect(await admin.keys()).toHaveLength(LIMIT);
      await admin.revoke(spare.id);
      expect((await robot.post("/keys", { name: "again", org: "Full" })).status).toBe(200);
      expectRefusal(await admin.create({ name: "too many" }), 409, "TOO_MANY_KEYS");
    });

    it("does not count expired keys and does not let them be extended beyond the limit", async () => {
      const { admin } = await almostFull("Expired");
      const robot = await robotOf(test);
      const { id } = (await admin.create({ name: "short", expires: SOON(test) })).json;
      test.clock.advance("61 seconds");
      expect((await admin.create({ name: "last" })).status).toBe(200);
      expectRefusal(await admin.update(id, { expires: null }), 409, "TOO_MANY_KEYS");
      expectError(await robot.send("PATCH", `/keys/${id}`, { expires: null }), 409, "TOO_MANY_KEYS", "live keys");
      expect((await admin.update(id, { name: "renamed" })).status).toBe(200);
    });

    it("still returns ALREADY_CREATED for a repeated Idempotency-Key once the limit is reached", async () => {
      const { admin } = await almostFull("Repeated");
      const header = { "idempotency-key": "once" };
      const { id } = (await admin.create({ name: "last" }, header)).json;
      expect((await admin.create({ name: "last" }, header)).json).toEqual({ rc: "ALREADY_CREATED", id });
    });

    it("applies to each organization separately and not to operator keys", async () => {
      await robotOf(test);
      const robot = await robotOf(test);
      for (let i = 0; i < LIMIT; i += 1) {
        expect((await robot.post("/keys", { name: "operator" })).status).toBe(200);
      }
      expect((await (await newAdmin(test, "Other")).create({ name: "first" })).status).toBe(200);
    });
  });
}
