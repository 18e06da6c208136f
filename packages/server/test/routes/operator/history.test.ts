import { AttemptList, type OperatorAttempt, OperatorAttempt as Schema } from "@dbdepot/contract/operator/history";
import { CsvParser } from "@dbdepot/formats/csv/parser";
import { Value } from "typebox/value";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Customer, call, type Reply } from "../../../../../rigs/harness/service/customer.ts";
import { stages } from "../../../../../rigs/harness/service/stages.ts";
import { type TestService, testService } from "../../../../../rigs/harness/service/test-service.ts";
import { type Attempt, newAttempt } from "../../../src/domain/downloads/attempt.ts";
import { newId } from "../../../src/platform/primitives/ids.ts";
import { command, expectError, type Robot, robotOf } from "./robot.ts";

const COLUMNS = Object.keys(Schema.properties);
/** More rows than an export reads at once. */
const MANY = 2345;

for (const stage of stages()) {
  describe(`GET /api/operator/history on ${stage.name}`, () => {
    let test: TestService;
    let robot: Robot;
    let acme: Customer;
    let beta: Customer;
    let legacyKeyId: string;

    beforeAll(async () => {
      test = await testService(stage);
      robot = await robotOf(test, { scopes: ["operator.read"] });
      acme = await test.operator.customer("Acme");
      beta = await test.operator.customer("Beta");
      await test.operator.addDatabase("vpn_ip_v1");
      await test.operator.grant("Acme", "vpn_ip");
      await test.operator.publish("vpn_ip_v1");
      await acme.download("vpn_ip_v1", "mmdb");
      await acme.download("=1%2B1", "mmdb");
      await beta.download("vpn_ip_v1", "csvgz");
      const legacy = await test.operator.legacyCustomer(["vpn_ip_v1"], "Acme");
      legacyKeyId = legacy.keyId;
      await call(`${acme.apiUrl}/api/v1/database/download?id=vpn_ip_v1&format=mmdb&apikey=${legacy.uuid}`);
      await call(`${acme.apiUrl}/api/v2/database/download?id=vpn_ip_v1&format=mmdb`);
      test.clock.advance("1 days");
      await acme.get("/api/v2/database/download?id=a,b&format=mmdb", { "user-agent": '+http://"evil"; =cmd' });
    });
    afterAll(() => test.dispose());

    async function found(query: string): Promise<OperatorAttempt[]> {
      return (await robot.request<AttemptList>("GET", `/history${query}`)).attempts;
    }

    async function outcomes(query: string): Promise<string[]> {
      return (await found(query)).map(({ api, outcome }) => `${api} ${outcome}`);
    }

    function rowsOf(reply: Reply): string[][] {
      const parser = new CsvParser();
      return [...parser.push(Buffer.from(reply.text)), ...parser.end()].map((row) => row.cells());
    }

    it("returns the attempts of all customers with their causes, newest first, like the command", async () => {
      const attempts = await found("");
      expect(Value.Check(AttemptList, { attempts })).toBe(true);
      expect(attempts).toEqual(await command(test, "history"));
      expect(attempts.map(({ cause, organization_id }) => [cause, organization_id])).toEqual([
        ["unknown_dataset", acme.organizationId],
        ["missing", null],
        [null, acme.organizationId],
        ["not_licensed", beta.organizationId],
        ["unknown_dataset", acme.organizationId],
        [null, acme.organizationId],
      ]);
    });

    it("applies each filter alone and all of them together, like the command", async () => {
      const day = 86_400_000;
      const at = (ms: number) => encodeURIComponent(new Date(test.clock.now().getTime() + ms).toISOString());
      expect(await outcomes("?org=Beta")).toEqual(["v2 denied"]);
      expect(await outcomes(`?org=${acme.organizationId}`)).toHaveLength(4);
      expect(await found("?org=Acme")).toEqual(await command(test, "history", "--org", "Acme"));
      expect(await outcomes(`?key=${beta.keyId}`)).toEqual(["v2 denied"]);
      expect(await outcomes(`?key=${beta.key.slice(0, 12)}`)).toEqual(["v2 denied"]);
      expect(await outcomes(`?key=${legacyKeyId.toUpperCase()}`)).toEqual(["v1 ok"]);
      expect(await outcomes("?outcome=unauthorized")).toEqual(["v2 unauthorized"]);
      expect(await outcomes("?database=vpn_ip_v1&api=v1")).toEqual(["v1 ok"]);
      expect(await outcomes("?database=a%2Cb")).toEqual(["v2 unknown"]);
      expect(await outcomes("?database=vpn_ip")).toEqual([]);
      expect(await outcomes("?api=v1")).toEqual(["v1 ok"]);
      expect(await outcomes(`?since=${at(0)}`)).toEqual(["v2 unknown"]);
      expect(await outcomes(`?since=${at(1)}`)).toEqual([]);
      expect(await outcomes(`?until=${at(0)}`)).toHaveLength(5);
      expect(await outcomes(`?until=${at(-day)}`)).toEqual([]);
      expect(await outcomes("?until=9999-01-01")).toHaveLength(6);
      const all = `?org=Acme&key=${acme.keyId}&outcome=ok&api=v2&since=${at(-day)}&until=${at(0)}`;
      expect(await outcomes(all)).toEqual(["v2 ok"]);
    });

    it("explains in a message which filter is invalid", async () => {
      const refusals: [query: string, status: number, rc: string, message: string][] = [
        ["?outcome=fine", 400, "INVALID_REQUEST", "outcome must be one of ok, unauthorized"],
        ["?outcom=ok", 400, "INVALID_REQUEST", 'unknown "outcom"'],
        ["?api=v3", 400, "INVALID_REQUEST", "api must be one of v1, v2"],
        ["?since=yesterday", 400, "INVALID_REQUEST", 'since: "yesterday" is not a date'],
        ["?until=2026-02-30", 400, "INVALID_REQUEST", 'until: "2026-02-30" is not a date'],
        ["?org=Nobody", 404, "NOT_FOUND", 'no organization "Nobody"'],
        ["?key=dbd_00000000", 404, "NOT_FOUND", "there is no such key"],
        ["?key=%00", 400, "INVALID_REQUEST", "key contains invalid characters"],
        ["?format=xml", 400, "INVALID_REQUEST", "format must be one of json, csv"],
        ["?cursor=bm9uZQ", 400, "INVALID_REQUEST", "invalid cursor"],
        ["?format=csv&limit=5", 400, "INVALID_REQUEST", "remove limit and cursor"],
      ];
      for (const [query, status, rc, message] of refusals) {
        expectError(await robot.get(`/history${query}`), status, rc, message);
      }
    });

    it("exports all columns as CSV without cells that a spreadsheet would run as formulas", async () => {
      const reply = await robot.get("/history?format=csv");
      expect(reply.status).toBe(200);
      expect(reply.headers.get("content-type")).toBe("text/csv; charset=utf-8; header=present");
      const today = test.clock.now().toISOString().slice(0, 10);
      expect(reply.headers.get("content-disposition")).toBe(`attachment; filename="history-${today}.csv"`);
      expect(reply.headers.get("cache-control")).toBe("no-store");
      const [header, ...rows] = rowsOf(reply);
      expect(header).toEqual(COLUMNS);
      const attempts = await found("");
      expect(rows).toHaveLength(attempts.length);
      for (const [i, attempt] of attempts.entries()) {
        const cells = Object.fromEntries(COLUMNS.map((column, at) => [column, rows[i]?.[at]]));
        const plain = Object.entries(attempt).map(([name, value]) => [name, value === null ? "" : String(value)]);
        const neutralized = {
          dataset_id: attempt.dataset_id === "=1+1" ? "'=1+1" : attempt.dataset_id,
          user_agent: attempt.user_agent?.startsWith("+") ? "'+http://\"evil\"; '=cmd" : attempt.user_agent,
        };
        expect(cells).toEqual({ ...Object.fromEntries(plain), ...neutralized });
      }
      expect(rows.flat().filter((cell) => /^\s*[=+@-]/.test(cell))).toEqual([]);
    });

    it("returns CSV for Accept: text/csv unless the format parameter says otherwise, and no body for HEAD", async () => {
      const csv = await robot.get("/history?org=Beta", { accept: "text/csv" });
      expect(rowsOf(csv)).toHaveLength(2);
      expect(csv.headers.get("vary")).toBe("Authorization, X-Api-Key, Cookie, Accept");
      expect((await robot.get("/history?format=json", { accept: "text/csv" })).json.attempts).toHaveLength(6);
      const head = await robot.send("HEAD", "/history?format=csv");
      expect([head.status, head.headers.get("content-type"), head.text]).toEqual([
        200,
        "text/csv; charset=utf-8; header=present",
        "",
      ]);
    });

    it("finds an attempt by the request id that the customer got", async () => {
      const gamma = await test.operator.customer("Gamma");
      const refused = await gamma.download("vpn_ip_v1", "mmdb");
      const id = refused.headers.get("x-request-id") ?? "";
      for (const quoted of [id, id.toUpperCase()]) {
        expect(await found(`?request=${quoted}`)).toMatchObject([
          { id, outcome: "denied", organization_id: gamma.organizationId },
        ]);
      }
      expect(await found(`?request=${id}&org=Acme`)).toEqual([]);
      expect(await found("?request=unknown")).toEqual([]);
      const listed = await command(test, "history", "--request", id);
      expect(listed).toMatchObject([{ id }]);
    });

    it("pages without repeating or skipping rows while new attempts arrive, and exports a long history completely", async () => {
      const { attempts } = test.service.services.store;
      const one = (datasetId: string): Attempt =>
        newAttempt(
          {
            id: newId(test.clock.now()),
            api: "v2",
            datasetId,
            format: "mmdb",
            sample: false,
            clientIp: "192.0.2.1",
            userAgent: "many",
          },
          { organizationId: beta.organizationId, keyId: beta.keyId },
          { outcome: "denied", httpStatus: 403 },
          test.clock.now(),
        );
      await attempts.append(Array.from({ length: MANY }, (_, i) => one(`many_${i}`)));
      const pages = robot.all<OperatorAttempt>("/history?limit=500&org=Beta&outcome=denied", "attempts");
      await attempts.append([one("late")]);
      const paged = (await pages).flat().filter(({ dataset_id }) => dataset_id !== "late");
      const expected = [...Array.from({ length: MANY }, (_, i) => `many_${MANY - 1 - i}`), "vpn_ip_v1"];
      expect(paged.map(({ dataset_id }) => dataset_id)).toEqual(expected);

      const rows = rowsOf(await robot.get("/history?format=csv&org=Beta"));
      const column = COLUMNS.indexOf("dataset_id");
      expect(rows.slice(1).map((row) => row[column])).toEqual(["late", ...expected]);
    });

    it("reads an export only as fast as the client does, and stops when it disconnects", async () => {
      const { attempts } = test.service.services.store;
      const list = attempts.list.bind(attempts);
      let reads = 0;
      attempts.list = (filter) => {
        reads += 1;
        // Simulates an endless history.
        return list({ ...filter, organizationId: beta.organizationId, limit: filter.limit }).then((page) =>
          Array.from({ length: filter.limit }, (_, i) => page[i % page.length] as Attempt),
        );
      };
      const otherRequests = async () => {
        for (let i = 0; i < 20; i += 1) await robot.get("/organizations");
      };
      try {
        const aborter = new AbortController();
        const response = await fetch(`${robot.apiUrl}/api/operator/history?format=csv&org=Beta`, {
          headers: { authorization: `Bearer ${robot.key}` },
          signal: aborter.signal,
        });
        const reader = response.body?.getReader();
        await reader?.read();
        let before = -1;
        // Reading stops while the client does not read on, and the server responds to others.
        while (before !== reads) {
          before = reads;
          await otherRequests();
        }
        expect(reads).toBeLessThan(200);
        aborter.abort();
        await reader?.read().catch(() => {});
        await expect.poll(() => test.logs().includes('"cut_off":true')).toBe(true);
        const atEnd = reads;
        await otherRequests();
        expect(reads).toBeLessThanOrEqual(atEnd + 1);
      } finally {
        attempts.list = list;
      }
    });
  });
}
