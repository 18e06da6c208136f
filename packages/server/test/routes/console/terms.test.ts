import { hash } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Customer, call, expectRefusal } from "../../../../../rigs/harness/service/customer.ts";
import { eitherStage } from "../../../../../rigs/harness/service/stages.ts";
import { type TestService, testService } from "../../../../../rigs/harness/service/test-service.ts";
import { accountIdOf } from "../../../src/domain/access/account-id.ts";
import { command, expectError, type Robot, robotOf } from "../operator/robot.ts";
import { type Person, personOf } from "./person.ts";

const TEXT = "1. Use the data\u2019s rows inside your company.\n";
const SHA256 = hash("sha256", TEXT);
const URL = "/api/console/terms/data-licence@2";

for (const stage of eitherStage()) {
  describe(`terms on ${stage.name}`, () => {
    let test: TestService;
    let robot: Robot;
    let acme: Customer;
    let admin: Person;
    let viewer: Person;
    beforeAll(async () => {
      test = await testService(stage);
      const { operator } = test;
      robot = await robotOf(test);
      acme = await operator.customer("Acme");
      for (const id of ["vpn_ip_v1", "tor_ip_v1", "free_ip_v1"]) {
        await operator.addDatabase(id);
        await operator.publish(id, `content of ${id}`, ["mmdb"]);
      }
      admin = await personOf(test, "ada@acme.example", "admin", "Acme");
      viewer = await personOf(test, "vic@acme.example", "viewer", "Acme");
    });
    afterAll(() => test.dispose());

    const add = (text: string, but: object = {}) =>
      robot.send("POST", "/terms", { name: "data-licence", title: "Data licence", text, ...but });
    const why = (org = "Acme") => robot.request("GET", `/why?org=${org}&id=vpn_ip_v1&format=mmdb`);

    it("have versions that never change, and the same text adds none", async () => {
      const first = (await add("Draft")).json;
      expect(first).toMatchObject({ id: "data-licence@1", version: 1, added: true, acceptances: 0 });
      expect(first.created_by).toBe(`key:${robot.prefix}`);
      const second = (await add(TEXT)).json;
      expect(second).toMatchObject({ id: "data-licence@2", sha256: SHA256, size_bytes: 46, added: true });
      expect((await add(TEXT, { title: "Another title" })).json).toEqual({ ...second, added: false });
      expect((await robot.request("GET", "/terms/data-licence@1")).text).toBe("Draft");
      expect((await robot.request("GET", "/terms/data-licence")).text).toBe(TEXT);
      const { terms } = await robot.request<{ terms: { id: string }[] }>("GET", "/terms?search=LICENCE&sort=created");
      expect(terms.map(({ id }) => id)).toEqual(["data-licence@1", "data-licence@2"]);
      // Larger than other bodies may be.
      expect((await add("x".repeat(256 * 1024), { name: "long" })).json).toMatchObject({ size_bytes: 262_144 });
    });

    it.each([
      ["a name with capitals", { name: "Data" }, "not a valid name"],
      ["the name that means none", { name: "none" }, "not a valid name"],
      ["an empty title", { title: " " }, "the title of terms"],
      ["an empty text", { text: "\n" }, "is empty"],
      ["a text that is too long", { text: "x".repeat(256 * 1024 + 1) }, "at most 262144"],
      ["a control character", { text: "a\u0000b" }, "control characters"],
    ])("refuse %s", async (_, but, message) => {
      expectError(await add(TEXT, but), 400, "INVALID_REQUEST", message);
    });

    it("refuse downloads with a cause until an admin accepts them, and then grant them", async () => {
      const body = { org: "Acme", base: "vpn_ip", redistribution: "internal", terms: "data-licence" };
      expect(await robot.request("POST", "/licences", body)).toMatchObject({ terms: "data-licence@2" });
      expectError(await robot.post("/licences", { ...body, terms: "other" }), 404, "NOT_FOUND", 'no terms "other"');
      await robot.request("POST", "/licences", { ...body, base: "tor_ip", terms: "data-licence@2" });
      const geoip = () =>
        call(`${acme.apiUrl}/geoip/databases/vpn_ip_v1/update`, {
          headers: { authorization: `Basic ${btoa(`${accountIdOf(acme.organizationId)}:${acme.key}`)}` },
        });
      for (const id of ["vpn_ip_v1", "tor_ip_v1"]) {
        expectRefusal(await acme.download(id, "mmdb"), 403, "TERMS_NOT_ACCEPTED");
        expectRefusal(await acme.checksum(id, "mmdb"), 403, "TERMS_NOT_ACCEPTED");
        expectRefusal(await acme.metadata(id), 403, "TERMS_NOT_ACCEPTED");
      }
      expect(await geoip()).toMatchObject({ status: 403, json: { rc: "TERMS_NOT_ACCEPTED" } });
      const { databases } = (await acme.list()).json;
      expect(databases).toMatchObject([
        { base: "free_ip", standing: "unlicensed", terms_to_accept: null },
        { base: "tor_ip", standing: "licensed", terms_to_accept: "data-licence@2" },
        { base: "vpn_ip", standing: "licensed", terms_to_accept: "data-licence@2" },
      ]);
      // Neither samples nor v1 keys depend on a licence.
      expect((await acme.download("vpn_ip_v1", "mmdb", "&sample=true")).status).toBe(302);
      const { uuid } = await test.operator.legacyCustomer(["vpn_ip_v1"], "Acme");
      const v1 = `${acme.apiUrl}/api/v1/database/download?id=vpn_ip_v1&format=mmdb&apikey=${uuid}`;
      expect((await call(v1)).status).toBe(200);
      const [attempt] = (await robot.request<{ attempts: object[] }>("GET", "/history?outcome=denied")).attempts;
      expect(attempt).toMatchObject({ outcome: "denied", http_status: 403, cause: "terms_not_accepted" });
      expect(await why()).toMatchObject({
        granted: false,
        status: 403,
        rc: "TERMS_NOT_ACCEPTED",
        reason: expect.stringContaining("requires data-licence@2, which Acme has not accepted"),
        facts: expect.arrayContaining([{ name: "terms", finding: "data-licence@2, not accepted" }]),
        steps: expect.arrayContaining([
          { name: "licence", result: "passed" },
          { name: "terms", result: "failed" },
          { name: "format", result: "not_checked" },
        ]),
      });

      const { terms, admins } = (await viewer.get("/api/console/terms")).json;
      expect(terms).toMatchObject([
        { id: "data-licence@2", databases: ["The family tor_ip", "The family vpn_ip"], acceptance: null },
      ]);
      expect(admins).toEqual([{ name: "", email: "ada@acme.example" }]);
      expect((await viewer.get(URL)).json).toMatchObject({ text: TEXT, sha256: SHA256 });

      const accepted = await admin.post(`${URL}/accept`, { sha256: SHA256 });
      const created = test.clock.now().toISOString();
      expect(accepted.json).toMatchObject({ acceptance: { email: "ada@acme.example", created } });
      for (const id of ["vpn_ip_v1", "tor_ip_v1"]) expect((await acme.download(id, "mmdb")).status).toBe(302);
      expect((await geoip()).status).toBe(200);
      expect((await acme.list()).json.databases[2].terms_to_accept).toBeNull();
      expect(await why()).toMatchObject({ granted: true });
    });

    it("keep who accepted which text, when and from where, once", async () => {
      test.clock.advance("60 seconds");
      expect((await admin.post(`${URL}/accept`, { sha256: SHA256 })).status).toBe(200);
      const { acceptances } = await robot.request<{ acceptances: object[] }>("GET", "/acceptances?terms=data-licence");
      expect(acceptances).toEqual([
        {
          id: expect.any(String),
          organization_id: acme.organizationId,
          organization_name: "Acme",
          terms: "data-licence@2",
          sha256: SHA256,
          account_id: expect.any(String),
          name: "",
          email: "ada@acme.example",
          address: "127.0.0.1",
          created: new Date(test.clock.now().getTime() - 60_000).toISOString(),
        },
      ]);
      const entries = await test.service.services.store.audit.list({ action: "terms", limit: 9 });
      expect(entries.map(({ actor, action, subject }) => [actor, action, subject])).toEqual([
        ["account:ada@acme.example", "terms.accepted", acme.organizationId],
        [`key:${robot.prefix}`, "terms.added", "long@1"],
        [`key:${robot.prefix}`, "terms.added", "data-licence@2"],
        [`key:${robot.prefix}`, "terms.added", "data-licence@1"],
      ]);
    });

    it("are accepted by admins of an organization that needs them only, in their own console", async () => {
      const { operator } = test;
      await operator.customer("Globex");
      const stranger = await personOf(test, "gus@globex.example", "admin", "Globex");
      expect((await stranger.get(URL)).status).toBe(404);
      expect((await stranger.post(`${URL}/accept`, { sha256: SHA256 })).status).toBe(404);
      await operator.grant("Globex", "vpn_ip", { terms: "data-licence" });
      expect(await why("Globex")).toMatchObject({ granted: false, rc: "TERMS_NOT_ACCEPTED" });
      expect((await stranger.post(`${URL}/accept`, { sha256: hash("sha256", "Draft") })).status).toBe(409);
      const other = { "sec-fetch-site": "cross-site" };
      const crossSite = await stranger.send("POST", `${URL}/accept`, { body: { sha256: SHA256 }, headers: other });
      expect(crossSite.json.rc).toBe("CROSS_ORIGIN");
      expect((await viewer.post(`${URL}/accept`, { sha256: SHA256 })).status).toBe(401);
      const headers = { authorization: `Bearer ${acme.key}`, "content-type": "application/json" };
      const body = JSON.stringify({ sha256: SHA256 });
      expect((await call(`${acme.apiUrl}${URL}/accept`, { method: "POST", headers, body })).status).toBe(401);
      const olivia = await personOf(test, "olivia@vendor.example", "operator");
      await olivia.post("/api/console/view", { organization: "Globex" });
      expect((await olivia.get(URL)).status).toBe(200);
      expect((await olivia.post(`${URL}/accept`, { sha256: SHA256 })).json.rc).toBe("READ_ONLY_VIEW");
    });

    it("can be added, required and removed on the command line", async () => {
      const directory = await mkdtemp(join(tmpdir(), "dbdepot-terms-"));
      const file = join(directory, "terms.md");
      await writeFile(file, "# Rules\n");
      const added = await command(test, "terms", "add", "rules", file, "--title", "The rules");
      expect(added).toMatchObject({ id: "rules@1", title: "The rules", added: true });
      await rm(directory, { recursive: true });
      expect(await command(test, "terms", "list", "--search", "rules")).toMatchObject([{ id: "rules@1" }]);
      expect(await command(test, "terms", "show", "rules")).toMatchObject({ text: "# Rules\n" });
      const accepted = await command(test, "terms", "acceptances", "--org", "Acme");
      expect(accepted).toMatchObject([{ terms: "data-licence@2", email: "ada@acme.example" }]);
      const flags = ["--redistribution", "internal", "--terms", "rules"];
      const licence = await command<{ id: string }>(test, "licences", "grant", "Acme", "free_ip", ...flags);
      expect(licence).toMatchObject({ terms: "rules@1" });
      await test.operator.settle();
      expectRefusal(await acme.download("free_ip_v1", "mmdb"), 403, "TERMS_NOT_ACCEPTED");
      expect(await command(test, "licences", "renew", licence.id, "--terms", "none")).toMatchObject({ terms: null });
      await test.operator.settle();
      test.clock.advance("1 days");
      expect((await acme.download("free_ip_v1", "mmdb")).status).toBe(302);
    });
  });
}
