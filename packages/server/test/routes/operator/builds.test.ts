import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { BuildCheck } from "@dbdepot/contract/operator/build-check";
import {
  BuildList,
  BuildUpload,
  type CsvStep,
  type OperatorBuild,
  PublishedBuild,
  WithdrawnBuild,
} from "@dbdepot/contract/operator/builds";
import { Value } from "typebox/value";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Customer } from "../../../../../rigs/harness/service/customer.ts";
import { eitherStage } from "../../../../../rigs/harness/service/stages.ts";
import { checksumsOf, type TestService, testService } from "../../../../../rigs/harness/service/test-service.ts";
import { buildToWire } from "../../../src/domain/builds/wire.ts";
import { newId } from "../../../src/platform/primitives/ids.ts";
import { type Exported, exported } from "./exported.ts";
import { command, expectError, expectSuccess, type Robot, robotOf } from "./robot.ts";

for (const stage of eitherStage()) {
  describe(`/api/operator/builds on ${stage.name}`, () => {
    let test: TestService;
    /** Has only the scope `builds.publish`. */
    let publisher: Robot;
    let reader: Robot;
    let acme: Customer;

    beforeAll(async () => {
      test = await testService(stage);
      publisher = await robotOf(test, { scopes: ["builds.publish"] });
      reader = await robotOf(test, { scopes: ["operator.read"] });
      acme = await test.operator.customer("Acme");
      await test.operator.addDatabase("vpn_ip_v1");
      await test.operator.addDatabase("x_provider_v1", { formats: ["csvgz"] });
      await test.operator.grant("Acme", "vpn_ip");
    });
    afterAll(() => test.dispose());

    async function begin(made: Exported, version = "vpn_ip_v1"): Promise<BuildUpload> {
      return expectSuccess<BuildUpload>(await publisher.sendBytes("POST", `/builds?version=${version}`, made.document));
    }

    async function upload(made: Exported): Promise<BuildUpload> {
      let build = await begin(made);
      for (const [format, bytes] of Object.entries(made.files)) {
        build = expectSuccess(await publisher.sendBytes("PUT", `/builds/${build.id}/files/${format}`, bytes));
      }
      return build;
    }

    async function publish(made: Exported, body?: object): Promise<PublishedBuild> {
      const { id } = await upload(made);
      return publisher.request<PublishedBuild>("POST", `/builds/${id}/publish`, body);
    }

    async function served(): Promise<unknown> {
      return JSON.parse((await acme.metadata("vpn_ip_v1")).text || "null");
    }

    it("publishes an uploaded build, which customers can download immediately and unchanged", async () => {
      const made = await exported("vpn_ip_v1");
      const begun = await begin(made);
      expect(Value.Check(BuildUpload, begun)).toBe(true);
      expect(begun).toMatchObject({ version_id: "vpn_ip_v1", state: "staged", current: false, files: {} });
      expect(begun.received).toEqual({ csvgz: 0, mmdb: 0 });
      const { csvgz, mmdb } = made.files as Record<"csvgz" | "mmdb", Buffer>;
      const half = expectSuccess<BuildUpload>(
        await publisher.sendBytes("PUT", `/builds/${begun.id}/files/csvgz`, csvgz),
      );
      expect(half.files).toEqual({ csvgz: { size_bytes: csvgz.length, checksums: checksumsOf(csvgz) } });
      expect(half.received).toEqual({ mmdb: 0 });
      const whole = expectSuccess<BuildUpload>(
        await publisher.sendBytes("PUT", `/builds/${begun.id}/files/mmdb`, mmdb),
      );
      expect(whole.received).toEqual({});
      expect(await publisher.request("GET", `/builds/${begun.id}`)).toEqual(whole);
      expect((await acme.download("vpn_ip_v1", "mmdb")).status).toBe(503);

      const published = await publisher.request<PublishedBuild>("POST", `/builds/${begun.id}/publish`);
      expect(Value.Check(PublishedBuild, published)).toBe(true);
      const { received: _, ...build } = whole;
      const now = test.clock.now().toISOString();
      const current = { ...build, state: "published", current: true, published: now };
      expect(published).toEqual({ ...current, build_id: begun.id, unchanged: false, removed_build_ids: [], notes: [] });
      expect((await acme.metadata("vpn_ip_v1")).text).toBe(made.document.toString());
      const stream = await fetch(`${acme.apiUrl}/api/v2/database/download?id=vpn_ip_v1&format=mmdb&delivery=stream`, {
        headers: { authorization: `Bearer ${acme.key}` },
      });
      expect(Buffer.from(await stream.arrayBuffer()).equals(mmdb)).toBe(true);
      const [entry] = await test.service.services.store.audit.list({ subjects: [begun.id], limit: 1 });
      expect(entry).toMatchObject({ action: "build.published", actor: `key:${publisher.prefix}` });
    });

    it("returns the current build with `unchanged` for the same files", async () => {
      const made = await exported("vpn_ip_v1");
      const [current] = await builds();
      const { id } = await upload(made);
      const again = await publisher.request<PublishedBuild>("POST", `/builds/${id}/publish`);
      expect(Value.Check(PublishedBuild, again)).toBe(true);
      expect(again).toEqual({ ...current, build_id: current?.id, unchanged: true, removed_build_ids: [], notes: [] });
      expect((await publisher.get(`/builds/${id}`)).status).toBe(404);
    });

    it("lists builds like the command", async () => {
      await begin(await exported("vpn_ip_v1"));
      const list = await reader.request<BuildList>("GET", "/builds?version=vpn_ip_v1");
      expect(Value.Check(BuildList, list)).toBe(true);
      expect(list.builds).toEqual(await command(test, "builds", "list", "vpn_ip_v1"));
      expect(list.builds.map(({ state, current }) => `${state} ${current}`)).toEqual([
        "staged false",
        "published true",
      ]);
      expect(list.builds.map(({ published_by }) => published_by)).toEqual([null, `key:${publisher.prefix}`]);
      expect(list.builds.map(({ previous_build_id }) => previous_build_id)).toEqual([list.builds[1]?.id, null]);
    });

    it("rolls back and withdraws builds with immediate effect", async () => {
      const [first] = await builds();
      const second = await publish(await exported("vpn_ip_v1", { updated: "2026-11-02" }));
      const third = await publish(await exported("vpn_ip_v1", { updated: "2026-11-03" }));
      expect(await served()).toMatchObject({ updated: "2026-11-03" });
      const back = await publisher.request<OperatorBuild>("POST", "/versions/vpn_ip_v1/rollback");
      const { unchanged: _, removed_build_ids: __, notes: ___, ...wire } = second;
      expect(back).toEqual(wire);
      expect(await served()).toMatchObject({ updated: "2026-11-02" });
      const to = await publisher.request("POST", "/versions/vpn_ip_v1/rollback", { to: third.id });
      expect(to).toMatchObject({ build_id: third.id, current: true });
      const withdrawn = await publisher.request<WithdrawnBuild>("POST", `/builds/${third.id}/withdraw`, {
        reason: "Wrong countries",
      });
      expect(Value.Check(WithdrawnBuild, withdrawn)).toBe(true);
      expect(withdrawn).toMatchObject({
        id: third.id,
        state: "withdrawn",
        withdrawn_reason: "Wrong countries",
        current: false,
        current_build_id: second.id,
      });
      expect(await served()).toMatchObject({ updated: "2026-11-02" });
      expect((await builds()).find(({ id }) => id === first?.id)?.state).toBe("published");
    });

    /** All builds that were published at some time. */
    async function builds(): Promise<OperatorBuild[]> {
      const { store } = test.service.services;
      const version = await store.versions.byId("vpn_ip_v1");
      const found = await store.builds.list("vpn_ip_v1");
      return found
        .filter(({ state }) => state !== "staged")
        .map((build) => buildToWire(build, version?.currentBuildId ?? null));
    }

    it("checks a build without publishing it", async () => {
      const check = (id: string) => publisher.request<BuildCheck>("GET", `/builds/${id}/check`);
      const [current] = (await builds()).filter((build) => build.current);
      const { entries = 0, updated = "" } = current ?? {};
      const ready = await upload(await exported("vpn_ip_v1", { rows: entries + 1, updated: "2026-11-03" }));
      const checked = await check(ready.id);
      expect(Value.Check(BuildCheck, checked)).toBe(true);
      expect(checked).toMatchObject({
        result: "ready",
        faults: [],
        warnings: [],
        build: { id: ready.id, entries: entries + 1 },
        current_build: { id: current?.id, entries },
        tables: { csvgz: { rows: entries + 1, columns: ["network", "note"] } },
        comparison: { state: "compared", changes: { added: 1, removed: 0, changed: 0, unchanged: entries } },
        column_changes: {},
      });
      expect((await builds()).find((build) => build.current)?.id).toBe(current?.id);

      const same = await upload(await exported("vpn_ip_v1", { rows: entries, updated }));
      expect(await check(same.id)).toMatchObject({ result: "unchanged" });
      const large = await upload(await exported("vpn_ip_v1", { rows: 900, updated: "2026-11-03" }));
      const { result, warnings } = await check(large.id);
      expect([result, warnings[0]]).toEqual(["suspicious", expect.stringContaining("the new build has 900 rows, ")]);

      const other = await exported("vpn_ip_v1", { rows: entries, updated: "2026-11-03" });
      const document = JSON.parse(other.document.toString());
      document.schema.csvgz[1].name = "remark";
      const begun = await begin({ ...other, document: Buffer.from(JSON.stringify(document)) });
      const faulty = await check(begun.id);
      expect(faulty).toMatchObject({ result: "faulty", tables: {} });
      expect(faulty.faults).toContain("csvgz: the file is missing");
      expect(faulty.column_changes.csvgz).toMatchObject({ added: ["remark"], removed: ["note"], retyped: [] });

      await publisher.request("POST", `/builds/${ready.id}/publish`);
      // The builds were compared before, so the event and the list have the counts.
      const counts = { added: 1, removed: 0, changed: 0 };
      const events = await test.service.services.store.events.after({ revision: 0, id: "" }, 1000);
      expect(events.at(-1)?.data).toMatchObject({ build_id: ready.id, changes: counts });
      const listed = await reader.request<BuildList>("GET", "/builds?version=vpn_ip_v1");
      expect(listed.builds.find((build) => build.current)?.changes).toEqual(counts);
      expect(await reader.request("GET", `/builds/${ready.id}/changes`)).toMatchObject({ changes: counts });
      expect(await check(large.id)).toMatchObject({ result: "overtaken" });
      expectError(await publisher.get(`/builds/${ready.id}/check`), 409, "CONFLICT", "already published");
      expectError(await publisher.get("/builds/nope/check"), 404, "NOT_FOUND", 'no build "nope"');
    });

    it("creates a build from a CSV with the columns of the current one, and reports its progress", async () => {
      const steps = (text: string) =>
        text
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line) as CsvStep);
      const send = (csv: string) =>
        publisher.sendBytes("POST", "/builds/from-csv?version=vpn_ip_v1&updated=2026-11-04", gzipSync(csv));
      const [first, ...rest] = steps((await send("network,note\n10.0.0.0/24,one\n10.0.1.0/24,two\n")).text);
      expect(first).toMatchObject({ stage: "reading", done_bytes: 0 });
      const { build } = rest.at(-1) as CsvStep & { stage: "done" };
      expect(build).toMatchObject({ state: "staged", entries: 2, updated: "2026-11-04", received: {} });
      const { headers } = await reader.get(`/builds/${build.id}/files/csvgz`);
      const bytes = Buffer.from(await (await fetch(headers.get("location") ?? "")).arrayBuffer());
      expect(gunzipSync(bytes).toString()).toBe("network,note\n10.0.0.0/24,one\n10.0.1.0/24,two\n");
      await publisher.request("POST", `/builds/${build.id}/discard`);

      const before = await builds();
      const failed = steps((await send("network,note\n10.0.0.0/33,one\n")).text).at(-1);
      expect(failed).toMatchObject({ stage: "failed", faults: [expect.stringContaining("10.0.0.0/33")] });
      const missing = steps((await send("network\n10.0.0.0/24\n")).text).at(-1);
      expect(missing).toMatchObject({ faults: ['columns: the input has no column "note"'] });
      expect(await builds()).toEqual(before);
      await expect.poll(() => readdir(join(test.dataDir, "exports"))).toEqual([]);
    });

    it("removes all but the newest `keep` builds after their links have expired", async () => {
      test.clock.advance("2 days");
      const published = await publish(await exported("vpn_ip_v1", { updated: "2026-11-04" }), { keep: 1 });
      expect(published.removed_build_ids).not.toEqual([]);
      const states = Map.groupBy(await builds(), ({ state }) => state);
      expect(
        states
          .get("removed")
          ?.map(({ id }) => id)
          .toSorted(),
      ).toEqual(published.removed_build_ids.toSorted());
    });

    it("returns every problem of a metadata document before files are uploaded", async () => {
      const send = (document: string, version = "vpn_ip_v1") =>
        publisher.sendBytes("POST", `/builds?version=${version}`, Buffer.from(document));
      const reply = await send('{"id": "vpn_ip_v1", "entries": "many"}');
      expect([reply.status, reply.json.rc, reply.json.reason]).toEqual([400, "INVALID_REQUEST", "faulty"]);
      expect(reply.json.faults).toEqual(
        expect.arrayContaining(['metadata: "updated" is missing', "metadata: entries: must be an integer"]),
      );
      expect(reply.json.message).toBe(reply.json.faults.join("\n"));
      expect((await send("{")).json.faults[0]).toContain("not valid JSON");
      expect((await send("")).json.faults[0]).toContain("not valid JSON");
      expect((await send(`"${"x".repeat(3 * 1024 * 1024)}"`)).json.faults[0]).toContain("larger than");
      const { document } = await exported("vpn_ip_v1");
      expectError(await send(String(document), "nope_v1"), 404, "NOT_FOUND", 'no version "nope_v1"');
      const unnamed = await publisher.sendBytes("POST", "/builds", document);
      expectError(unnamed, 400, "INVALID_REQUEST", '"version" is missing');
    });

    it("refuses faulty, suspicious and overtaken builds with a reason", async () => {
      const before = await served();
      const small = await exported("vpn_ip_v1", { updated: "2026-11-05" });
      const foreign = await begin(await exported("x_provider_v1", { formats: ["csvgz"] }));
      const faulty = await publisher.post(`/builds/${foreign.id}/publish`);
      expect([faulty.status, faulty.json.rc, faulty.json.reason]).toEqual([400, "INVALID_REQUEST", "faulty"]);
      expect(faulty.json.faults).toContain("metadata: id is x_provider_v1, expected vpn_ip_v1");
      expect(faulty.json.faults).toContain("mmdb: the file is missing");

      const overtaken = await upload(small);
      const big = await upload(await exported("vpn_ip_v1", { rows: 50, updated: "2026-11-05" }));
      const suspicious = await publisher.post(`/builds/${big.id}/publish`, { force: false });
      expect([suspicious.status, suspicious.json.rc, suspicious.json.reason]).toEqual([409, "CONFLICT", "suspicious"]);
      expect(suspicious.json.faults[0]).toContain("the new build has 50 rows, ");
      expect(await served()).toEqual(before);
      await publisher.request("POST", `/builds/${big.id}/publish`, { force: true });
      expect(await served()).toMatchObject({ entries: 50 });

      const late = await publisher.post(`/builds/${overtaken.id}/publish`, { force: true });
      expect([late.status, late.json.rc, late.json.reason]).toEqual([409, "CONFLICT", "overtaken"]);
      expect(await served()).toMatchObject({ entries: 50 });
    });

    it("discards an unpublished build with its uploaded files", async () => {
      const { id } = await upload(await exported("vpn_ip_v1"));
      expect(await publisher.request("POST", `/builds/${id}/discard`)).toMatchObject({
        id,
        state: "staged",
        received: {},
      });
      expectError(await publisher.get(`/builds/${id}`), 404, "NOT_FOUND", `no build "${id}"`);
      const left = await Array.fromAsync(test.service.services.objects.list(`vpn_ip_v1/${id}/`));
      expect(left).toEqual([]);
    });

    it("explains in a message why a request was refused, and changes nothing", async () => {
      const made = await exported("x_provider_v1", { formats: ["csvgz"] });
      const staged = await begin(made, "x_provider_v1");
      const [current] = await builds();
      const unknownId = newId(test.clock.now());
      const revision = await test.service.services.store.revision();
      const refusals: [path: string, body: unknown, status: number, rc: string, message: string][] = [
        [`/builds/${unknownId}/publish`, undefined, 404, "NOT_FOUND", `no build "${unknownId}"`],
        [`/builds/${unknownId}/discard`, undefined, 404, "NOT_FOUND", `no build "${unknownId}"`],
        [`/builds/${unknownId}/withdraw`, undefined, 404, "NOT_FOUND", `no build "${unknownId}"`],
        ["/builds/%00/withdraw", undefined, 404, "NOT_FOUND", "no build"],
        [`/builds/${current?.id}/publish`, undefined, 409, "CONFLICT", "is already published"],
        [`/builds/${current?.id}/discard`, undefined, 409, "CONFLICT", "is already published"],
        [`/builds/${staged.id}/withdraw`, undefined, 409, "CONFLICT", "so it is not served"],
        [`/builds/${staged.id}/publish`, { keep: 0 }, 400, "INVALID_REQUEST", "keep must be >= 1"],
        [`/builds/${staged.id}/publish`, { force: "yes" }, 400, "INVALID_REQUEST", "force must be true or false"],
        ["/versions/x_provider_v1/rollback", undefined, 409, "CONFLICT", "no earlier build"],
        ["/versions/vpn_ip_v1/rollback", { to: unknownId }, 404, "NOT_FOUND", "has no build"],
        ["/versions/vpn_ip_v1/rollback", { to: current?.id }, 409, "CONFLICT", "is already the current build"],
        ["/versions/nope_v1/rollback", undefined, 404, "NOT_FOUND", 'no version "nope_v1"'],
        ["/versions/%00/rollback", undefined, 404, "NOT_FOUND", "no version"],
      ];
      for (const [path, body, status, rc, message] of refusals) {
        expectError(await publisher.post(path, body), status, rc, message);
      }
      expectError(await reader.get("/builds?version=nope_v1"), 404, "NOT_FOUND", 'no version "nope_v1"');
      expectError(await reader.get("/builds"), 400, "INVALID_REQUEST", '"version" is missing');
      expect(await test.service.services.store.revision()).toBe(revision);
    });
  });
}
