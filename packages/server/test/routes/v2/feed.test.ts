import { execFileSync } from "node:child_process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { needs } from "../../../../../rigs/harness/needs.ts";
import { type Customer, call, expectRefusal } from "../../../../../rigs/harness/service/customer.ts";
import { eitherStage } from "../../../../../rigs/harness/service/stages.ts";
import { type TestService, testService } from "../../../../../rigs/harness/service/test-service.ts";
import { addFamily, addVersion } from "../../../src/domain/catalogue/catalogue.ts";

const FEED = "/api/v2/feed.atom";

/** Parses a document with expat, which accepts well-formed XML only, and returns the entries of the feed. */
const PARSE = `
import json, sys, xml.etree.ElementTree as tree
atom = "{http://www.w3.org/2005/Atom}"
feed = tree.fromstring(sys.stdin.buffer.read())
assert feed.tag == atom + "feed"
for name in ["id", "title", "updated", "author"]: assert len(feed.findall(atom + name)) == 1, name
def read(entry): return {**{name: entry.find(atom + name).text for name in ["id", "title", "updated", "summary"]}, "link": entry.find(atom + "link").get("href")}
print(json.dumps([read(entry) for entry in feed.findall(atom + "entry")]))`;

for (const stage of eitherStage()) {
  describe(`GET ${FEED} on ${stage.name}`, needs("python3"), () => {
    let test: TestService;
    let acme: Customer;
    beforeAll(async () => {
      test = await testService(stage);
      const { operator } = test;
      acme = await operator.customer("Acme");
      for (const id of ["vpn_ip_v1", "unlicensed_v1", "empty_v1"]) await operator.addDatabase(id);
      await operator.addDatabase("hidden_v1", { visibility: "private" });
      await addFamily(operator.operation(), { base: "odd", name: "Odd", visibility: "public" });
      const summary = `<b>"Tom" & 'Jerry'</b> ]]> \u{1F600}`;
      await addVersion(operator.operation(), { id: "odd_v1", summary, formats: ["mmdb"] });
      for (const base of ["vpn_ip", "empty", "odd"]) await operator.grant("Acme", base);
    });
    afterAll(() => test.dispose());

    async function publish(id: string) {
      test.clock.advance("1 seconds");
      return test.operator.publish(id, String(test.clock.now()));
    }

    const entriesOf = (text: string) => JSON.parse(execFileSync("python3", ["-c", PARSE], { input: text }).toString());

    it("is valid without a build", async () => {
      const reply = await acme.get(FEED);
      expect(reply.status).toBe(200);
      expect(reply.headers.get("content-type")).toBe("application/atom+xml; charset=utf-8");
      expect(entriesOf(reply.text)).toEqual([]);
    });

    it("lists current builds of databases the organization can download, newest first", async () => {
      const [vpn, odd] = [await publish("vpn_ip_v1"), await publish("odd_v1")];
      for (const id of ["unlicensed_v1", "hidden_v1"]) await publish(id);
      const { text } = await acme.get(FEED);
      expect(entriesOf(text)).toEqual([
        {
          id: `urn:uuid:${odd.id}`,
          title: "odd_v1 of 2026-11-01",
          updated: odd.published?.toISOString(),
          summary: `<b>"Tom" & 'Jerry'</b> ]]> \u{1F600}: 1 rows`,
          link: expect.stringMatching(/^http.*\/console\/databases\/odd$/),
        },
        expect.objectContaining({ id: `urn:uuid:${vpn.id}` }),
      ]);
      expect(text).not.toMatch(/hidden|unlicensed/);
    });

    it("accepts the key in the URL, and never repeats it", async () => {
      const reply = await call(`${test.service.apiUrl}${FEED}?apikey=${acme.key}`);
      expect(reply.status).toBe(200);
      expect(reply.text + JSON.stringify([...reply.headers])).not.toContain(acme.key);
      expect(reply.text).toBe((await acme.get(FEED)).text);
      expectRefusal(await call(`${test.service.apiUrl}${FEED}`), 401, "UNAUTHORIZED");
    });

    it("returns 304 until there is a new build", async () => {
      const etag = (await acme.get(FEED)).headers.get("etag") ?? "";
      expect((await acme.get(FEED, { "if-none-match": etag })).status).toBe(304);
      await publish("vpn_ip_v1");
      expect((await acme.get(FEED, { "if-none-match": etag })).status).toBe(200);
    });
  });
}
