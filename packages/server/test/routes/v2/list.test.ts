import { DatabaseList } from "@dbdepot/contract/v2/catalogue";
import { Value } from "typebox/value";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Customer } from "../../../../../rigs/harness/service/customer.ts";
import { stages } from "../../../../../rigs/harness/service/stages.ts";
import { type TestService, testService } from "../../../../../rigs/harness/service/test-service.ts";
import { withdrawBuild } from "../../../src/domain/builds/rollback.ts";
import { Register } from "../../../src/register/register.ts";

for (const stage of stages()) {
  describe(`GET /api/v2/database/list on ${stage.name}`, () => {
    let test: TestService;
    let acme: Customer;
    const day = 86_400_000;
    const ago = (days: number) => new Date(test.clock.now().getTime() - days * day);

    beforeAll(async () => {
      test = await testService(stage);
      const { operator } = test;
      acme = await operator.customer("Acme");
      for (const id of ["vpn_ip_v2", "vpn_ip_v1", "bogon_ip_v1", "tor_ip_v1", "vpn_ip_v10"])
        await operator.addDatabase(id);
      await operator.addDatabase("hosting_provider_v1", { formats: ["csvgz"] });
      await operator.addDatabase("secret_ip_v1", { visibility: "private" });
      await operator.addDatabase("former_ip_v1", { visibility: "private" });
      for (const { id } of await test.service.services.store.versions.list()) await operator.publish(id);
      await operator.grant("Acme", "vpn_ip", { starts: ago(10), expires: ago(-10) });
      await operator.grant("Acme", "tor_ip", { starts: ago(10), expires: ago(1) });
      await operator.grant("Acme", "former_ip", { starts: ago(10), expires: ago(1) });
      await operator.grant("Acme", "hosting_provider", { starts: ago(-5) });
    });
    afterAll(() => test.dispose());

    const entry = async (base: string) =>
      (await acme.list()).json.databases.find((database: { base: string }) => database.base === base);

    it("returns the visible families ordered by base", async () => {
      const reply = await acme.list();
      expect(reply.status).toBe(200);
      expect(Value.Check(DatabaseList, reply.json)).toBe(true);
      expect(reply.json.databases.map(({ base }: { base: string }) => base)).toEqual([
        "bogon_ip",
        "former_ip",
        "hosting_provider",
        "tor_ip",
        "vpn_ip",
      ]);
    });

    it("lists versions oldest first and uses the newest version's summary for the family", async () => {
      const vpn = await entry("vpn_ip");
      expect(vpn.versions).toEqual(
        [1, 2, 10].map((version) => ({
          id: `vpn_ip_v${version}`,
          version,
          summary: `What vpn_ip_v${version} contains`,
          formats: ["csvgz", "mmdb"],
          sample_formats: [],
        })),
      );
      expect(vpn.summary).toBe("What vpn_ip_v10 contains");
      expect((await entry("hosting_provider")).versions[0].formats).toEqual(["csvgz"]);
    });

    it("shows a family as unlicensed without a licence or before it starts, and otherwise as licensed or expired", async () => {
      const shown = ({ standing, redistribution, starts, expires }: Record<string, unknown>) => ({
        standing,
        redistribution,
        starts,
        expires,
      });
      const time = (days: number) => ago(days).toISOString();
      const redistribution = "internal";
      expect(shown(await entry("vpn_ip"))).toEqual({
        standing: "licensed",
        redistribution,
        starts: time(10),
        expires: time(-10),
      });
      expect(shown(await entry("tor_ip"))).toEqual({
        standing: "expired",
        redistribution,
        starts: time(10),
        expires: time(1),
      });
      const unlicensed = { standing: "unlicensed", redistribution: null, starts: null, expires: null };
      expect(shown(await entry("bogon_ip"))).toEqual(unlicensed);
      // Its licence has not started yet.
      expect(shown(await entry("hosting_provider"))).toEqual(unlicensed);
    });

    it("shows a private family only to organizations that hold or held a licence for it", async () => {
      const stranger = await test.operator.customer("Stranger");
      const bases = (await stranger.list()).json.databases.map(({ base }: { base: string }) => base);
      expect(bases).toEqual(["bogon_ip", "hosting_provider", "tor_ip", "vpn_ip"]);
      expect(await entry("secret_ip")).toBeUndefined();
      expect((await entry("former_ip")).standing).toBe("expired");
    });

    it("lists a version from its first build on, and a family from its first listed version on", async () => {
      const { operator, service } = test;
      const versions = async () => (await entry("late_ip"))?.versions.map(({ id }: { id: string }) => id);
      await operator.addDatabase("late_ip_v1");
      expect(await versions()).toBeUndefined();
      await operator.grant("Acme", "late_ip");
      expect((await acme.download("late_ip_v1", "mmdb")).status).toBe(503);
      const first = await operator.publish("late_ip_v1");
      await operator.addDatabase("late_ip_v2");
      expect(await versions()).toEqual(["late_ip_v1"]);
      expect((await entry("late_ip")).summary).toBe("What late_ip_v1 contains");
      await operator.publish("late_ip_v2");
      expect(await versions()).toEqual(["late_ip_v1", "late_ip_v2"]);
      expect((await entry("late_ip")).summary).toBe("What late_ip_v2 contains");

      // It stays listed without a current build, also after a restart.
      await withdrawBuild(operator.operation(), first.id);
      await operator.settle();
      expect(await versions()).toEqual(["late_ip_v1", "late_ip_v2"]);
      const restarted = new Register(service.services.store);
      await restarted.refresh();
      const late = restarted.families.find(({ family }) => family.base === "late_ip");
      expect(late?.versions.map((version) => restarted.isListed(version))).toEqual([true, true]);
    });

    it("shows a licence as expired from the exact moment it ends", async () => {
      test.clock.advance("10 days");
      expect((await entry("vpn_ip")).standing).toBe("expired");
      test.clock.advance("-1 seconds");
      expect((await entry("vpn_ip")).standing).toBe("licensed");
    });

    it("returns 304 for its ETag until the list changes, and ignores If-Modified-Since", async () => {
      const first = await acme.list();
      const etag = first.headers.get("etag") ?? "";
      const again = await acme.get("/api/v2/database/list", { "if-none-match": etag });
      expect([again.status, again.text, again.headers.get("etag")]).toEqual([304, "", etag]);
      const dated = await acme.get("/api/v2/database/list", { "if-modified-since": new Date(8e12).toUTCString() });
      expect([dated.status, dated.text]).toEqual([200, first.text]);
      await test.operator.addDatabase("new_ip_v1");
      await test.operator.publish("new_ip_v1");
      const changed = await acme.get("/api/v2/database/list", { "if-none-match": etag });
      expect([changed.status, changed.headers.get("etag")]).toEqual([200, expect.not.stringContaining(etag)]);
    });

    it("returns the current standing no matter how often it was requested before", async () => {
      const bolt = await test.operator.customer("Bolt");
      await test.operator.grant("Bolt", "bogon_ip", { starts: ago(-1), expires: ago(-2) });
      const standing = async () => {
        const lists = [];
        for (let i = 0; i < 3; i += 1) lists.push((await bolt.list()).json.databases);
        return lists.map((list) => list.find(({ base }: { base: string }) => base === "bogon_ip").standing);
      };
      expect(await standing()).toEqual(["unlicensed", "unlicensed", "unlicensed"]);
      test.clock.advance("1 days");
      expect(await standing()).toEqual(["licensed", "licensed", "licensed"]);
      test.clock.advance("1 days");
      expect(await standing()).toEqual(["expired", "expired", "expired"]);
      // This also holds if the clock is set back, or if the catalogue changes without time passing.
      test.clock.advance("-1 days");
      expect(await standing()).toEqual(["licensed", "licensed", "licensed"]);
      await test.operator.addDatabase("bogon_ip_v2");
      await test.operator.publish("bogon_ip_v2");
      const [bogon] = (await bolt.list()).json.databases;
      expect(bogon.versions.map(({ id }: { id: string }) => id)).toEqual(["bogon_ip_v1", "bogon_ip_v2"]);
    });
  });
}
