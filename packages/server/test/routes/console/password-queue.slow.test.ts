import { describe, expect, it } from "vitest";
import { expectRefusal } from "../../../../../rigs/harness/service/customer.ts";
import { stages } from "../../../../../rigs/harness/service/stages.ts";
import { testService } from "../../../../../rigs/harness/service/test-service.ts";
import { Person, personOf } from "./person.ts";

describe("signing in", () => {
  it("is refused with 429 while too many others wait for their passwords to be checked", async () => {
    const [stage] = stages();
    if (!stage) throw new Error("no stage");
    const test = await testService(stage, { DBDEPOT_TRUSTED_PROXIES: "127.0.0.1/32" });
    try {
      const ada = await personOf(test, "ada@example.com", "operator");
      const guess = (number: number) =>
        new Person(test.service.apiUrl, "").send("POST", "/api/console/session", {
          body: { email: `guess${number}@example.com`, password: "wrong" },
          headers: { "x-forwarded-for": `192.0.2.${number}` },
        });
      const replies = await Promise.all(Array.from({ length: 150 }, (_, number) => guess(number)));
      const refused = replies.filter(({ status }) => status === 429);
      expect(refused.length).toBeGreaterThan(0);
      expect(replies.filter(({ status }) => status === 401)).toHaveLength(150 - refused.length);
      for (const reply of refused) {
        expectRefusal(reply, 429, "RATE_LIMITED");
        expect(reply.headers.get("retry-after")).toBe("5");
      }
      expect((await ada.signIn()).status).toBe(200);
    } finally {
      await test.dispose();
    }
  });
});
