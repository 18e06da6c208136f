import type { Role } from "@dbdepot/contract/console/accounts";
import { ErasedPerson, ErasurePlan, PersonalData } from "@dbdepot/contract/operator/privacy";
import { RetentionPreviews } from "@dbdepot/contract/operator/retention";
import { Value } from "typebox/value";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eitherStage } from "../../../../../rigs/harness/service/stages.ts";
import { type TestService, testService } from "../../../../../rigs/harness/service/test-service.ts";
import { type Person, personOf } from "../console/person.ts";
import { expectError, type Robot, robotOf } from "./robot.ts";

for (const stage of eitherStage()) {
  describe(`/api/operator/people and /retention on ${stage.name}`, () => {
    let test: TestService;
    let robot: Robot;
    let olivia: Person & { id: string };
    const person = (email: string, role: Role) => personOf(test, email, role, role === "operator" ? undefined : "Acme");
    beforeAll(async () => {
      test = await testService(stage, { DBDEPOT_HISTORY_RETENTION_DAYS: "1", DBDEPOT_PORT: "0" });
      robot = await robotOf(test);
      await test.operator.customer("Acme");
      olivia = await person("olivia@vendor.example", "operator");
    });
    afterAll(() => test.dispose());

    it("exports a person's data as a file, also for themselves", async () => {
      const ada = await person("ada@acme.example", "viewer");
      const reply = await robot.get("/people/ADA@acme.example/data");
      expect(reply.headers.get("content-disposition")).toContain("attachment");
      expect(Value.Errors(PersonalData, reply.json)).toEqual([]);
      expect(reply.json).toMatchObject({ email: ada.email, account_ids: [ada.id] });
      const own = await ada.get("/api/console/account/data");
      expect(own.json).toEqual({ ...reply.json, exported: expect.any(String) });
      expect(own.json.data.account_sessions).toMatchObject([{ address: "127.0.0.1" }]);
      expect((await ada.get(`/api/operator/people/${ada.id}/data`)).status).toBe(401);
      expectError(await robot.get("/people/nobody@acme.example/data"), 404, "NOT_FOUND", "nothing is stored about");
    });

    it("erases a person, who is signed out at once", async () => {
      const ben = await person("ben@acme.example", "admin");
      const plan = await robot.request<ErasurePlan>("GET", `/people/${ben.id}/erasure`);
      expect(Value.Check(ErasurePlan, plan)).toBe(true);
      expect(plan).toMatchObject({
        email: ben.email,
        last: "admin",
        warning: expect.stringContaining('last admin of "Acme"'),
      });
      expectError(await robot.post(`/people/${ben.id}/erase`), 409, "CONFLICT", "is the last admin");
      const erased = await robot.request<ErasedPerson>("POST", `/people/${ben.id}/erase`, { even_last: true });
      expect(Value.Check(ErasedPerson, erased)).toBe(true);
      expect(erased.rows).toEqual(plan.rows);
      expect(await ben.isSignedIn()).toBe(false);
      const audit = await robot.request<{ entries: object[] }>("GET", `/audit?subject=${erased.pseudonym}&limit=1`);
      expect(audit.entries).toMatchObject([{ action: "privacy.erased", actor: `key:${robot.prefix}` }]);
    });

    it("lets a key erase only customers, and nobody themselves", async () => {
      const other = await person("otto@vendor.example", "operator");
      expectError(await robot.post(`/people/${other.id}/erase`), 409, "CONFLICT", "a key cannot erase");
      const own = await olivia.post(`/api/operator/people/${olivia.id}/erase`);
      expectError(own, 409, "CONFLICT", "you cannot erase yourself");
      expect((await olivia.post(`/api/operator/people/${other.id}/erase`)).status).toBe(200);
      expect(await other.isSignedIn()).toBe(false);
    });

    it("previews what the retention settings remove", async () => {
      const previews = await robot.request<RetentionPreviews>("GET", "/retention");
      expect(Value.Check(RetentionPreviews, previews)).toBe(true);
      expect(previews.rules.map(({ kind, on, count }) => [kind, on, count])).toEqual([
        ["builds", false, 0],
        ["history", true, 0],
        ["addresses", false, 0],
        ["events", true, 0],
        ["deliveries", true, 0],
        ["audit", false, 0],
      ]);
      expect(previews.rules[1]?.rule).toBe("Download attempts are deleted after 1 day.");
    });
  });
}
