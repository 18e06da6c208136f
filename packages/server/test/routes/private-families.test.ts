import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Customer, call, type Reply } from "../../../../rigs/harness/service/customer.ts";
import { eitherStage } from "../../../../rigs/harness/service/stages.ts";
import { type TestService, testService } from "../../../../rigs/harness/service/test-service.ts";
import { type Person, personOf } from "./console/person.ts";

const PRIVATE = "hidden_ip_v1";
/** An id that is as long as the private one and never in the catalogue. */
const MISSING = "absent_ip_v1";

for (const stage of eitherStage()) {
  describe(`a private family of another customer on ${stage.name}`, () => {
    let test: TestService;
    let outsider: Customer;
    let person: Person;
    let legacyKey: string;
    beforeAll(async () => {
      test = await testService(stage, { DBDEPOT_RATE_LIMIT: "off" });
      const { operator } = test;
      await operator.addDatabase("vpn_ip_v1");
      await operator.publish("vpn_ip_v1");
      await operator.addDatabase(PRIVATE, { visibility: "private" });
      const build = await operator.publish(PRIVATE, "secret", ["mmdb"]);
      await operator.customer("Insider");
      await operator.grant("Insider", "hidden_ip");
      outsider = await operator.customer("Outsider", { scopes: ["db.download", "apikeys.manage"] });
      await operator.grant("Outsider", "vpn_ip");
      person = await personOf(test, "outsider@example.com", "admin", "Outsider");
      legacyKey = (await operator.legacyCustomer(["vpn_ip_v1"], "Outsider")).uuid;
      ids.build = build.id;
    });
    afterAll(() => test.dispose());
    const ids = { build: "" };

    /** Everything in a response that could tell a private family from one that does not exist. */
    const visible = ({ status, headers, text }: Reply, id: string) => ({
      status,
      text: text.replaceAll(id, "ID"),
      headers: [...headers].filter(([name]) => name !== "x-request-id" && name !== "date"),
    });

    it("looks like one that does not exist wherever an id is accepted", async () => {
      const { apiUrl } = outsider;
      const basic = `Basic ${Buffer.from(`1:${outsider.key}`).toString("base64")}`;
      const requests: ((id: string) => Promise<Reply>)[] = [
        (id) => outsider.download(id, "mmdb"),
        (id) => outsider.download(id, "csvgz"),
        (id) => outsider.download(id, "zip"),
        (id) => outsider.download(id, "mmdb", "&sample=true"),
        (id) => outsider.download(id, "mmdb", "&delivery=stream"),
        (id) => outsider.download(id, "mmdb", `&build=${ids.build}`),
        (id) => outsider.checksum(id, "mmdb"),
        (id) => outsider.checksum(id, "mmdb", `&build=${ids.build}`),
        (id) => outsider.metadata(id),
        (id) => outsider.get(`/api/v2/database/manifest?id=${id}`),
        (id) => outsider.get(`/api/v2/database/manifest?id=${id}&build=${ids.build}`),
        (id) => call(`${apiUrl}/geoip/updates/metadata?edition_id=${id}`, { headers: { authorization: basic } }),
        (id) => outsider.get(`/geoip/updates/metadata?edition_id=${id}`),
        (id) => outsider.get(`/geoip/databases/${id}/download?suffix=tar.gz`),
        (id) => outsider.get(`/geoip/databases/${id}/update`),
        (id) => call(`${apiUrl}/api/v1/database/download?apikey=${legacyKey}&id=${id}&format=mmdb`),
        (id) => call(`${apiUrl}/api/v1/database/checksum?apikey=${legacyKey}&id=${id}&format=mmdb`),
        (id) => call(`${apiUrl}/api/v1/database/metadata?apikey=${legacyKey}&id=${id}`),
        (id) => person.get(`/api/console/databases/${id}`),
        (id) => person.get(`/api/console/databases/${id}/metadata`),
        (id) => person.get(`/api/console/databases/${id}/lookup?address=192.0.2.1`),
        (id) => person.post("/api/console/access-requests", { base: id.slice(0, -"_v1".length) }),
      ];
      for (const request of requests) {
        const [hidden, absent] = [await request(PRIVATE), await request(MISSING)];
        expect(visible(hidden, PRIVATE)).toEqual(visible(absent, MISSING));
        expect(hidden.status).toBeGreaterThanOrEqual(400);
      }
    });

    it("is not mentioned in anything that lists or describes", async () => {
      const replies = [
        await outsider.list(),
        await outsider.get("/api/v2/feed.atom"),
        await outsider.get("/api/v1/iam/apikeys"),
        await outsider.get("/api/v1/iam/identity"),
        await outsider.get("/openapi.json"),
        await outsider.get("/docs"),
        await person.get("/api/console/databases"),
        await person.get("/api/console/licences"),
        await person.get("/api/console/usage"),
        await person.get("/api/console/session"),
        await person.get("/.well-known/dbdepot-keys.json"),
        await person.get("/readyz"),
        await person.get("/metrics"),
      ];
      for (const { text } of replies) {
        expect(text).not.toContain("hidden_ip");
        expect(text).not.toContain(ids.build);
      }
    });
  });
}
