import { OperatorUsageLine, OperatorUsageReport } from "@dbdepot/contract/operator/usage";
import { UsageLine, UsageReport } from "@dbdepot/contract/v2/usage";
import { Value } from "typebox/value";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Customer } from "../../../../../rigs/harness/service/customer.ts";
import { eitherStage } from "../../../../../rigs/harness/service/stages.ts";
import { fileBytes, type TestService, testService } from "../../../../../rigs/harness/service/test-service.ts";
import { updateUsage } from "../../../src/domain/usage/update.ts";
import { command, expectError, type Robot, robotOf } from "./robot.ts";

const NOTHING = { first_downloads: 0, repeats: 0, refused: 0, bytes: 0, saved_bytes: 0, keys: 0, addresses: 0 };

for (const stage of eitherStage()) {
  describe(`GET /api/operator/usage and /api/v2/database/usage on ${stage.name}`, () => {
    let test: TestService;
    let robot: Robot;
    let acme: Customer;
    let beta: Customer;
    /** The months of the two days on which customers download. */
    let months: string[];
    let size: number;

    beforeAll(async () => {
      test = await testService(stage);
      robot = await robotOf(test, { scopes: ["operator.read"] });
      acme = await test.operator.customer("Acme");
      beta = await test.operator.customer("Beta");
      await test.operator.addDatabase("vpn_ip_v1");
      await test.operator.grant("Acme", "vpn_ip");
      await test.operator.publish("vpn_ip_v1");
      size = fileBytes("mmdb", "content of vpn_ip_v1").length;
      months = [month()];
      await acme.download("vpn_ip_v1", "mmdb");
      await acme.download("vpn_ip_v1", "mmdb");
      await acme.download("invented_v1", "mmdb");
      await beta.download("vpn_ip_v1", "mmdb");
      test.clock.advance("40 days");
      months.push(month());
      await acme.download("vpn_ip_v1", "mmdb", "&delivery=stream");
      const range = { range: "bytes=0-1" };
      await acme.get("/api/v2/database/download?id=vpn_ip_v1&format=mmdb&delivery=stream", range);
      await updateUsage({ usage: test.service.services.store.usage, clock: test.clock.now, by: "the test" });
    });
    afterAll(() => test.dispose());

    function month(): string {
      return test.clock.now().toISOString().slice(0, 7);
    }

    function report(query = ""): Promise<OperatorUsageReport> {
      return robot.request<OperatorUsageReport>("GET", `/usage${query}`);
    }

    it("reports each organization by month, with closed months and totals, like the command", async () => {
      const found = await report();
      expect(Value.Check(OperatorUsageReport, found)).toBe(true);
      const once = { keys: 1, addresses: 1 };
      expect(found.usage.map(({ organization_id: _, dataset_id: __, format: ___, ...line }) => line)).toEqual([
        {
          ...NOTHING,
          ...once,
          organization_name: "Acme",
          period: months[1],
          repeats: 2,
          bytes: size + 2,
          closed: false,
        },
        { ...NOTHING, ...once, organization_name: "Beta", period: months[0], refused: 1, closed: true },
        {
          ...{ ...NOTHING, ...once, organization_name: "Acme", period: months[0], closed: true },
          ...{ first_downloads: 1, repeats: 1, refused: 1, bytes: 2 * size },
        },
      ]);
      expect(found.totals).toEqual({
        first_downloads: 1,
        repeats: 3,
        refused: 2,
        bytes: 3 * size + 2,
        saved_bytes: 0,
        ...once,
      });
      const [from, to] = [found.from, found.to];
      expect(await command(test, "usage", "--from", from, "--to", to)).toEqual(await report(`?from=${from}&to=${to}`));
      expect(found.updated).toBe(test.clock.now().toISOString());
    });

    it("reports databases, with all requests for unknown ones in one line", async () => {
      const { usage } = await report(`?org=Acme&by=database&from=${months[0]}-01`);
      expect(usage.map(({ dataset_id, format, repeats, refused }) => [dataset_id, format, repeats, refused])).toEqual([
        ["", "", 0, 1],
        ["vpn_ip_v1", "mmdb", 3, 0],
      ]);
    });

    it("pages, sorts and searches", async () => {
      const pages = await robot.all<OperatorUsageLine>("/usage?limit=1&sort=-bytes", "usage");
      expect(pages.map((page) => page.map(({ bytes }) => bytes))).toEqual([[2 * size], [size + 2], [0]]);
      const beta = await report("?search=BET");
      expect(beta.usage.map(({ organization_name }) => organization_name)).toEqual(["Beta"]);
      expect(beta.totals).toMatchObject({ refused: 1, bytes: 0 });
    });

    it("exports all lines as CSV", async () => {
      const { headers, text } = await robot.get("/usage?format=csv&sort=organization");
      expect(headers.get("content-type")).toMatch(/^text\/csv/);
      const [head, ...lines] = text.trim().split("\r\n");
      expect(head).toBe(Object.keys(OperatorUsageLine.properties).join(","));
      expect(lines.map((line) => line.split(",")[1])).toEqual(["Acme", "Acme", "Beta"]);
    });

    it("refuses periods that are empty or would take too long", async () => {
      expectError(await robot.get("/usage?from=2027-02-01&to=2027-02-01"), 400, "INVALID_REQUEST", "later than from");
      const year = "from=2026-01-01&to=2027-01-01";
      expectError(await robot.get(`/usage?by=day&${year}`), 400, "INVALID_REQUEST", "choose one organization");
      expect((await report(`?by=day&org=Acme&${year}`)).usage.length).toBeGreaterThanOrEqual(0);
      expect((await report(`?by=database&${year}`)).usage.length).toBeGreaterThanOrEqual(0);
    });

    it("shows customers their own usage only, as JSON and CSV", async () => {
      const reply = await acme.get("/api/v2/database/usage");
      expect(Value.Check(UsageReport, reply.json)).toBe(true);
      expect(reply.json.usage.map(({ period }: UsageLine) => period)).toEqual([months[1], months[0]]);
      expect((await beta.get("/api/v2/database/usage")).json.totals).toEqual({
        ...NOTHING,
        ...{ refused: 1, keys: 1, addresses: 1 },
      });
      const csv = await acme.get("/api/v2/database/usage?by=day", { accept: "text/csv" });
      expect(csv.text.split("\r\n")[0]).toBe(Object.keys(UsageLine.properties).join(","));
      for (const wrong of ["by=year", "from=yesterday", "by=day&from=2020-01-01&to=2027-01-01"]) {
        expect((await acme.get(`/api/v2/database/usage?${wrong}`)).json).toEqual({ rc: "INVALID_REQUEST" });
      }
    });
  });
}
