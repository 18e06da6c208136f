import { CUSTOMERS_MAX_BYTES, CustomersImport } from "@dbdepot/contract/operator/customers";
import { Value } from "typebox/value";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call } from "../../../../../rigs/harness/service/customer.ts";
import { eitherStage } from "../../../../../rigs/harness/service/stages.ts";
import { type TestService, testService } from "../../../../../rigs/harness/service/test-service.ts";
import { addTerms } from "../../../src/domain/terms/add.ts";
import { type Robot, robotOf } from "./robot.ts";

interface ExportedGlobex {
  organizations: [{ licences: object[] }];
}

const DOCUMENT = {
  organizations: [
    {
      external_id: "A-17",
      name: "Acme",
      licences: [{ family: "vpn_ip", redistribution: "internal", starts: "2020-01-01" }],
      accounts: [{ email: "ada@acme.example", role: "admin" }],
      keys: [{ name: "ci", scopes: ["db.download"], create: true }],
    },
  ],
};

for (const stage of eitherStage()) {
  describe(`/api/operator/customers on ${stage.name}`, () => {
    let test: TestService;
    let robot: Robot;

    beforeAll(async () => {
      test = await testService(stage);
      robot = await robotOf(test);
      await test.operator.addDatabase("vpn_ip_v1");
      await test.operator.publish("vpn_ip_v1");
    });
    afterAll(() => test.dispose());

    it("plans without changes, then imports keys that work at once, and changes nothing the second time", async () => {
      const plan = await robot.request<CustomersImport>("POST", "/customers/import?dry_run=true", DOCUMENT);
      expect(Value.Check(CustomersImport, plan)).toBe(true);
      expect(plan).toMatchObject({ dry_run: true, secrets: [] });
      expect(plan.changes.map(({ action, kind, subject }) => `${action} ${kind} ${subject}`)).toEqual([
        "create organization Acme",
        "create licence vpn_ip",
        "create account ada@acme.example",
        "create key ci",
      ]);
      expect((await robot.get("/organizations/Acme")).status).toBe(404);

      const imported = await robot.request<CustomersImport>("POST", "/customers/import", DOCUMENT);
      expect({ ...imported, secrets: [], dry_run: true }).toEqual(plan);
      const [secret] = imported.secrets;
      const download = `${test.service.apiUrl}/api/v2/database/download?id=vpn_ip_v1&format=mmdb&apikey=${secret?.key}`;
      expect((await call(download)).status).toBe(302);

      const again = await robot.request<CustomersImport>("POST", "/customers/import", DOCUMENT);
      expect(again).toMatchObject({ changes: [], unchanged: 4, secrets: [] });
      expect(await robot.request("GET", "/organizations/Acme")).toMatchObject({ external_id: "A-17" });
    });

    it("exports what it imports, as JSON and CSV", async () => {
      const json = await robot.request<typeof DOCUMENT>("GET", "/customers/export?org=Acme");
      expect(json.organizations).toMatchObject([{ external_id: "A-17", accounts: [{ email: "ada@acme.example" }] }]);
      const reply = await robot.get("/customers/export?format=csv");
      expect(reply.headers.get("content-type")).toContain("text/csv");
      expect(reply.headers.get("content-disposition")).toMatch(/^attachment; filename="customers-[-0-9]+\.csv"$/);
      const back = await robot.send("POST", "/customers/import", reply.text, { "content-type": "text/csv" });
      expect(back.json).toMatchObject({ changes: [], unchanged: 4 });
    });

    it("changes limits, terms and archiving with effect on the next download", async () => {
      await addTerms(test.operator.operation(), { name: "data-licence", title: "Licence", text: "Be nice." });
      const customer = await test.operator.customer("Globex");
      await test.operator.grant("Globex", "vpn_ip");
      const { organizations } = await robot.request<ExportedGlobex>("GET", "/customers/export?org=Globex");
      const [{ licences, ...globex }] = organizations;
      const download = async (change: object, terms: string | null) => {
        const changed = { ...globex, ...change, licences: licences.map((licence) => ({ ...licence, terms })) };
        await robot.request("POST", "/customers/import", { organizations: [changed] });
        return (await customer.download("vpn_ip_v1", "mmdb")).json?.rc;
      };
      expect(await download({ downloads_per_day: 1 }, "data-licence@1")).toBe("TERMS_NOT_ACCEPTED");
      expect(await download({ downloads_per_day: 1 }, null)).toBeUndefined();
      expect(await download({ downloads_per_day: 1 }, null)).toBe("DOWNLOADS_USED_UP");
      expect(await download({ downloads_per_day: null }, null)).toBeUndefined();
      expect(await download({ archived: true }, null)).toBe("UNAUTHORIZED");
    });

    it("lists every fault, and refuses other media types and large files", async () => {
      const csv = "kind,organization,name,email\norganization,B-1,,\naccount,B-2,,nobody\n";
      const reply = await robot.send("POST", "/customers/import", csv, { "content-type": "text/csv" });
      expect(reply).toMatchObject({ status: 400, json: { rc: "INVALID_REQUEST" } });
      expect(reply.json.faults).toEqual([
        "line 2: name is missing",
        'line 3: "nobody" is not an e-mail address',
        "line 3: role is missing",
        'line 3: there is no organization with the external id "B-2", in the file or the database',
      ]);
      const text = await robot.send("POST", "/customers/import", csv, { "content-type": "text/plain" });
      expect(text).toMatchObject({ status: 415, json: { rc: "UNSUPPORTED_MEDIA_TYPE" } });
      const large = await robot.send("POST", "/customers/import", " ".repeat(CUSTOMERS_MAX_BYTES + 1));
      expect(large).toMatchObject({ status: 413, json: { rc: "TOO_LARGE" } });
    });
  });
}
