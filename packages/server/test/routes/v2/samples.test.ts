import type { Database } from "@dbdepot/contract/v2/catalogue";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Customer, call, expectRefusal, type Reply } from "../../../../../rigs/harness/service/customer.ts";
import { eitherStage } from "../../../../../rigs/harness/service/stages.ts";
import {
  checksumsOf,
  fileBytes,
  type TestService,
  testService,
} from "../../../../../rigs/harness/service/test-service.ts";
import { withdrawBuild } from "../../../src/domain/builds/rollback.ts";
import { command, type Robot, robotOf } from "../operator/robot.ts";

const SAMPLE = fileBytes("mmdb", "sample of content of vpn_ip_v1");
const FULL = fileBytes("mmdb", "content of vpn_ip_v1");

for (const stage of eitherStage()) {
  describe(`samples on ${stage.name}`, () => {
    let test: TestService;
    let acme: Customer;
    let expired: Customer;
    let prospect: Customer;
    let robot: Robot;

    beforeAll(async () => {
      test = await testService(stage);
      const { operator, clock } = test;
      robot = await robotOf(test, { scopes: ["operator.read"] });
      acme = await operator.customer("Acme");
      expired = await operator.customer("Expired");
      prospect = await operator.customer("Prospect");
      for (const id of ["vpn_ip_v1", "vpn_ip_v2", "bogon_ip_v1", "tor_ip_v1"]) await operator.addDatabase(id);
      await operator.addDatabase("hosting_provider_v1", { formats: ["csvgz"] });
      await operator.addDatabase("secret_ip_v1", { visibility: "private" });
      for (const base of ["vpn_ip", "secret_ip"]) await operator.grant("Acme", base);
      await operator.grant("Expired", "vpn_ip", { expires: new Date(clock.now().getTime() + 1000) });
      await operator.publish("vpn_ip_v1", undefined, ["csvgz", "mmdb"]);
      await operator.publish("vpn_ip_v2", undefined, ["csvgz"]);
      await operator.publish("bogon_ip_v1");
      await operator.publish("hosting_provider_v1", undefined, ["csvgz"]);
      await operator.publish("secret_ip_v1", undefined, ["csvgz", "mmdb"]);
      clock.advance("2 seconds");
    });
    afterAll(() => test.dispose());

    const everyone = (): [string, Customer][] => [
      ["a licence", acme],
      ["an ended licence", expired],
      ["no licence", prospect],
    ];
    const follow = (reply: Reply) => fetch(reply.headers.get("location") ?? "");

    it("are downloaded with any standing, under their own name", async () => {
      for (const [standing, customer] of everyone()) {
        for (const [format, name] of [
          ["mmdb", "vpn_ip_v1.sample.mmdb"],
          ["csvgz", "vpn_ip_v1.sample.csv.gz"],
        ] as const) {
          const reply = await customer.download("vpn_ip_v1", format, "&sample=true");
          expect([standing, reply.status]).toEqual([standing, 302]);
          const file = await follow(reply);
          expect(file.headers.get("content-disposition")).toBe(`attachment; filename="${name}"`);
          const bytes = Buffer.from(await file.arrayBuffer());
          expect(bytes).toEqual(fileBytes(format, "sample of content of vpn_ip_v1"));
          expect(reply.headers.get("etag")).toBe(`"${checksumsOf(bytes).sha256}"`);
          const digest = Buffer.from(checksumsOf(bytes).sha256, "hex").toString("base64");
          expect(reply.headers.get("repr-digest")).toBe(`sha-256=:${digest}:`);
        }
      }
    });

    it("have checksums of their own, with another ETag than the full file's", async () => {
      const sample = await prospect.checksum("vpn_ip_v1", "mmdb", "&sample=true");
      expect(sample.json).toEqual({ id: "vpn_ip_v1", format: "mmdb", checksums: checksumsOf(SAMPLE) });
      const full = await acme.checksum("vpn_ip_v1", "mmdb");
      expect(full.json.checksums).toEqual(checksumsOf(FULL));
      expect(sample.headers.get("x-build-id")).toBe(full.headers.get("x-build-id"));
      expect(sample.headers.get("etag")).not.toBe(full.headers.get("etag"));
      const url = "/api/v2/database/checksum?id=vpn_ip_v1&format=mmdb&sample=true";
      expect((await prospect.get(url, { "if-none-match": full.headers.get("etag") ?? "" })).status).toBe(200);
      expect((await prospect.get(url, { "if-none-match": sample.headers.get("etag") ?? "" })).status).toBe(304);
    });

    it("are listed in the formats that the current build has them in", async () => {
      const { databases } = (await prospect.list()).json as { databases: Database[] };
      const listed = databases.flatMap(({ versions }) => versions.map((one) => [one.id, one.sample_formats]));
      expect(Object.fromEntries(listed)).toEqual({
        bogon_ip_v1: [],
        hosting_provider_v1: ["csvgz"],
        vpn_ip_v1: ["csvgz", "mmdb"],
        vpn_ip_v2: ["csvgz"],
      });
    });

    it("are streamed with ranges, and HEAD works", async () => {
      const url = "/api/v2/database/download?id=vpn_ip_v1&format=mmdb&sample=1&delivery=stream";
      const whole = await prospect.get(url);
      expect([whole.status, whole.text]).toEqual([200, SAMPLE.toString()]);
      expect(whole.headers.get("content-disposition")).toBe('attachment; filename="vpn_ip_v1.sample.mmdb"');
      expect(whole.headers.get("content-type")).toBe("application/octet-stream");
      const part = await prospect.get(url, { range: "bytes=5-", "if-range": whole.headers.get("etag") ?? "" });
      expect([part.status, part.text]).toEqual([206, SAMPLE.toString().slice(5)]);
      for (const delivery of ["redirect", "stream"]) {
        const headUrl = `${prospect.apiUrl}/api/v2/database/download?id=vpn_ip_v1&format=mmdb&sample=true&delivery=${delivery}`;
        const head = await call(headUrl, { method: "HEAD", headers: { authorization: `Bearer ${prospect.key}` } });
        expect([head.status, head.headers.get("etag")]).toEqual([
          delivery === "stream" ? 200 : 302,
          whole.headers.get("etag"),
        ]);
      }
    });

    it("can be pinned to a build, and disappear with it", async () => {
      const { operator } = test;
      await operator.addDatabase("pinned_ip_v1");
      const first = await operator.publish("pinned_ip_v1", "first", ["mmdb"]);
      await operator.publish("pinned_ip_v1", "second", ["csvgz"]);
      const pin = `&sample=true&build=${first.id}`;
      const pinned = await prospect.download("pinned_ip_v1", "mmdb", pin);
      expect(await (await follow(pinned)).text()).toBe("mmdb sample of first");
      expect(pinned.headers.get("x-build-id")).toBe(first.id);
      expectRefusal(await prospect.download("pinned_ip_v1", "mmdb", "&sample=true"), 400, "INVALID_FORMAT");
      expectRefusal(await prospect.download("pinned_ip_v1", "csvgz", pin), 400, "INVALID_FORMAT");
      await withdrawBuild(operator.operation(), first.id);
      await operator.settle();
      expectRefusal(await prospect.download("pinned_ip_v1", "mmdb", pin), 404, "UNKNOWN_BUILD");
    });

    it("are refused in the order of checks", async () => {
      const refused = (id: string, format: string, customer = prospect) =>
        customer.download(id, format, "&sample=true");
      expectRefusal(await refused("nope_v1", "zip"), 400, "INVALID_FORMAT");
      expectRefusal(await refused("nope_v1", "mmdb"), 404, "UNKNOWN_DATASET");
      expectRefusal(await refused("secret_ip_v1", "mmdb"), 404, "UNKNOWN_DATASET");
      expect((await refused("secret_ip_v1", "mmdb", acme)).status).toBe(302);
      expectRefusal(await refused("hosting_provider_v1", "mmdb"), 400, "INVALID_FORMAT");
      expectRefusal(await refused("bogon_ip_v1", "mmdb"), 400, "INVALID_FORMAT");
      expectRefusal(await refused("tor_ip_v1", "mmdb"), 503, "NOT_AVAILABLE");
      const noScope = await test.operator.colleague(prospect, { scopes: [] });
      expectRefusal(await refused("vpn_ip_v1", "mmdb", noScope), 401, "UNAUTHORIZED");
      expectRefusal(await prospect.checksum("bogon_ip_v1", "mmdb", "&sample=true"), 400, "INVALID_FORMAT");
    });

    it("are requested by true or 1 in any case; any other value means the full file", async () => {
      for (const value of ["true", "True", "TRUE", "1"]) {
        expect((await prospect.download("vpn_ip_v1", "mmdb", `&sample=${value}`)).status).toBe(302);
      }
      for (const more of ["", "&sample=", "&sample=false", "&sample=0", "&sample=yes", "&sample=true&sample=true"]) {
        expectRefusal(await prospect.download("vpn_ip_v1", "mmdb", more), 403, "NOT_LICENSED");
        const full = await acme.download("vpn_ip_v1", "mmdb", more);
        expect(full.headers.get("etag")).toBe(`"${checksumsOf(FULL).sha256}"`);
      }
    });

    it("give no access to the metadata, which describes the full files", async () => {
      expectRefusal(await prospect.get("/api/v2/database/metadata?id=vpn_ip_v1&sample=true"), 403, "NOT_LICENSED");
    });

    it("are marked in the history, and operators can filter by them", async () => {
      const lia = await test.operator.customer("Lia");
      await lia.download("vpn_ip_v1", "mmdb", "&sample=true");
      await lia.download("bogon_ip_v1", "mmdb", "&sample=true");
      await lia.download("vpn_ip_v1", "mmdb");
      const rows = (await lia.history()).map((row) => [row.dataset_id, row.outcome, row.bytes, row.sample]);
      expect(rows).toEqual([
        ["vpn_ip_v1", "denied", null, false],
        ["bogon_ip_v1", "unavailable", null, true],
        ["vpn_ip_v1", "ok", SAMPLE.length, true],
      ]);
      const listed = async (query: string) =>
        (await robot.all<{ sample: boolean; cause: string }>(`/history?org=Lia${query}`, "attempts")).flat();
      expect((await listed("&sample=true")).map(({ cause }) => cause)).toEqual(["no_sample", null]);
      expect((await listed("&sample=false")).map(({ sample }) => sample)).toEqual([false]);
      const { text } = await robot.get("/history?org=Lia&format=csv");
      const lines = text.split("\r\n").map((line) => line.split(","));
      const column = lines[0]?.indexOf("sample") ?? -1;
      expect(lines.map((line) => line[column])).toEqual(["sample", "false", "true", "true", undefined]);
      expect(await command(test, "history", "--org", "Lia", "--sample")).toEqual(await listed("&sample=true"));
    });

    it("are explained by why", async () => {
      const ask = (sample: string, id: string) =>
        robot.request<{ status: number; facts: { name: string; finding: string }[] }>(
          "GET",
          `/why?org=Prospect&id=${id}&format=mmdb${sample}`,
        );
      expect(await ask("", "vpn_ip_v1")).toMatchObject({ status: 403, rc: "NOT_LICENSED" });
      const granted = await ask("&sample=true", "vpn_ip_v1");
      expect(granted).toMatchObject({ status: 302, reason: "the sample can be downloaded without a licence" });
      expect(granted.facts.find(({ name }) => name === "database")?.finding).toContain(
        "with a sample as csvgz and mmdb",
      );
      expect(await ask("&sample=true", "bogon_ip_v1")).toMatchObject({
        status: 400,
        rc: "INVALID_FORMAT",
        reason: "the build has no sample in this format",
      });
      const argv = ["why", "Prospect", "vpn_ip_v1", "--format", "mmdb", "--sample"];
      expect(await command(test, ...argv)).toEqual(granted);
    });

    it("do not exist on v1, which ignores the parameter", async () => {
      const { uuid } = await test.operator.legacyCustomer(["vpn_ip_v1"], "Acme");
      const url = `${acme.apiUrl}/api/v1/database/download?apikey=${uuid}&id=vpn_ip_v1&format=mmdb`;
      expect((await call(`${url}&sample=true`)).text).toBe(FULL.toString());
      expect(await acme.history("?limit=1")).toMatchObject([{ dataset_id: "vpn_ip_v1", sample: false }]);
    });
  });

  describe(`requests of clients that know no samples on ${stage.name}`, () => {
    it("get the same responses whether or not the build has samples, except for sample_formats", async () => {
      const test = await testService(stage);
      try {
        const acme = await test.operator.customer("Acme");
        for (const id of ["with_v1", "without_v1"]) await test.operator.addDatabase(id);
        for (const base of ["with", "without"]) await test.operator.grant("Acme", base);
        const builds = {
          with: await test.operator.publish("with_v1", "same", ["csvgz", "mmdb"]),
          without: await test.operator.publish("without_v1", "same"),
        };
        const answers = async (base: keyof typeof builds) => {
          const id = `${base}_v1`;
          const replies = [
            await acme.list(),
            await acme.download(id, "mmdb"),
            await acme.checksum(id, "csvgz"),
            await acme.metadata(id),
            await acme.get(`/api/v2/database/download?id=${id}&format=csvgz&delivery=stream`),
          ];
          const shown = replies.map(({ status, headers, text, json }) => {
            const {
              date: _,
              location,
              "x-request-id": __,
              "repr-digest": ___,
              ...others
            } = Object.fromEntries(headers);
            const databases = json?.databases?.filter((one: Database) => one.base === base);
            for (const version of databases?.[0].versions ?? []) delete version.sample_formats;
            const path = location && new URL(location).pathname.split("/").slice(-3);
            return { status, others, path, body: databases ?? text };
          });
          return JSON.stringify(shown).replaceAll(builds[base].id, "BUILD").replaceAll(base, "FAMILY");
        };
        const withSamples = await answers("with");
        expect(withSamples.replaceAll(/"content-length":"\d+"/g, "")).toBe(
          (await answers("without")).replaceAll(/"content-length":"\d+"/g, ""),
        );
      } finally {
        await test.dispose();
      }
    });
  });
}
