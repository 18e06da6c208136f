import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Customer } from "../../../../rigs/harness/service/customer.ts";
import { type Stage, stages } from "../../../../rigs/harness/service/stages.ts";
import { type TestService, testService } from "../../../../rigs/harness/service/test-service.ts";
import { probeLink } from "../../src/adapters/objects/probe.ts";
import { publishFiles } from "../../src/domain/builds/publishing/publish-files.ts";
import { purgeJob } from "../../src/domain/builds/purge-job.ts";
import { withdrawBuild } from "../../src/domain/builds/rollback.ts";
import { rulesOf } from "../../src/settings/rules.ts";
import { listen, stop } from "../adapters/objects/disk-with-gateway.ts";
import { inChunks, sampleBuild } from "../domain/builds/sample-build.ts";
import { command, expectError, type Robot, robotOf } from "../routes/operator/robot.ts";

const [stage] = stages() as [Stage];

describe("links to several origins", () => {
  let test: TestService;
  let robot: Robot;
  let acme: Customer;
  let directory: string;
  /** Origins that deliver the objects of the service to everybody, without looking at the token. */
  const origins: Record<"eu" | "us", { server: Server; url: string; isMissing: () => boolean }> = {} as never;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "dbdepot-origins-"));
    for (const region of ["eu", "us"] as const) {
      const server = createServer(async (request, response) => {
        const path = join(test.dataDir, "objects", new URL(request.url ?? "", "http://origin").pathname);
        if (origins[region].isMissing() || !existsSync(path)) return response.writeHead(404).end();
        response.writeHead(200, { "content-length": (await stat(path)).size });
        return response.end(request.method === "HEAD" ? undefined : await readFile(path));
      });
      origins[region] = { server, url: await listen(server), isMissing: () => false };
    }
    await writeFile(join(directory, "keys"), `a ${"x".repeat(32)}`);
    test = await testService(stage, {
      DBDEPOT_LINKS: "hmac",
      DBDEPOT_LINK_KEY_FILE: join(directory, "keys"),
      DBDEPOT_LINK_ORIGINS: `eu=${origins.eu.url},us=${origins.us.url}`,
      DBDEPOT_LINK_REGION_HEADER: "X-Region",
      DBDEPOT_TRUSTED_PROXIES: "127.0.0.1/32",
      DBDEPOT_PURGE_COMMAND: `test -e ${directory}/works || { echo "the CDN is away" >&2; exit 7; }; cat >> ${directory}/purged`,
    });
    robot = await robotOf(test);
    await test.operator.addDatabase("vpn_ip_v1");
    acme = await test.operator.customer("Acme");
    await test.operator.grant("Acme", "vpn_ip");
    await test.operator.publish("vpn_ip_v1");
  });
  afterAll(async () => {
    await test?.dispose();
    for (const { server } of Object.values(origins)) await stop(server);
    await rm(directory, { recursive: true });
  });

  const operation = (originWaitSeconds = 0) => ({
    ...test.operator.operation(),
    rules: { ...rulesOf(test.stage.settings), originWaitSeconds },
  });
  const originOf = async (headers: Record<string, string> = {}) => {
    const reply = await acme.get("/api/v2/database/download?id=vpn_ip_v1&format=mmdb", headers);
    return new URL(reply.headers.get("location") ?? "").origin;
  };
  const publish = async (mark: string, waitSeconds: number) => {
    const { document, files } = sampleBuild("vpn_ip_v1", { mark });
    const streams = Object.fromEntries(Object.entries(files).map(([kind, bytes]) => [kind, inChunks(bytes, 65_536)]));
    const waiting: string[] = [];
    const publisher = { operation: async () => operation(waitSeconds), objects: test.service.services.objects };
    const onWaiting = (problem: string) => waiting.push(problem);
    const published = await publishFiles(publisher, {
      versionId: "vpn_ip_v1",
      document,
      files: streams,
      force: true,
      onWaiting,
    });
    return { published, waiting };
  };

  it("lead to the first one by default, and to that of the organization", async () => {
    expect(await originOf()).toBe(origins.eu.url);
    const url = `/organizations/${acme.organizationId}`;
    expect(await robot.request("PATCH", url, { link_region: "us" })).toMatchObject({ link_region: "us" });
    expect(await originOf()).toBe(origins.us.url);
    expect(await originOf({ "x-region": "eu", "x-forwarded-for": "192.0.2.1" })).toBe(origins.us.url);
    expect(await command(test, "orgs", "edit", "Acme", "--link-region", "")).toMatchObject({ link_region: null });
    await test.operator.settle();
    expect(await originOf()).toBe(origins.eu.url);
    const refused = await robot.send("PATCH", url, { link_region: "moon" });
    expectError(refused, 400, "INVALID_REQUEST", /no region "moon": DBDEPOT_LINK_ORIGINS has eu, us/);
  });

  it("lead to the region that a proxy names, but not to one that a client names", async () => {
    expect(await originOf({ "x-region": "us", "x-forwarded-for": "192.0.2.1" })).toBe(origins.us.url);
    expect(await originOf({ "x-region": "us" })).toBe(origins.eu.url);
    expect(await originOf({ "x-region": "moon", "x-forwarded-for": "192.0.2.1" })).toBe(origins.eu.url);
  });

  it("lead to a build only when every origin has its files", async () => {
    let requests = 0;
    origins.us.isMissing = () => {
      requests += 1;
      return requests < 3;
    };
    const { published, waiting } = await publish("replicated", 60);
    expect(waiting).toEqual([
      expect.stringMatching(/^the origin "us" does not have vpn_ip_v1\.csv\.gz yet \(status 404\)/),
    ]);
    origins.us.isMissing = () => true;
    await expect(publish("lagging", 1)).rejects.toThrow(
      /the origin "us" does not have vpn_ip_v1\.csv\.gz yet \(status 404\) after 1 s, so the build is not published/,
    );
    await test.operator.settle();
    expect((await acme.metadata("vpn_ip_v1")).headers.get("x-build-id")).toBe(published.build.id);
    origins.us.isMissing = () => false;
  });

  it("are probed with a forged token too", async () => {
    const { objects } = test.service.services;
    const { origin, response, forged } = await probeLink(objects, new Date(), "us");
    expect(origin).toBe(origins.us.url);
    expect(response).toMatchObject({ status: 200, isIntact: true });
    expect(forged).toMatchObject({ status: 200 });
  });

  it("end at the CDN after a withdrawal, whose purge is retried", async () => {
    const { published } = await publish("withdrawn", 0);
    const { id, files } = published.build;
    await withdrawBuild(operation(), id);
    await test.operator.settle();
    const { jobs, store } = test.service.services;
    const error = "DBDEPOT_PURGE_COMMAND failed with exit code 7: the CDN is away";
    await expect
      .poll(() => store.jobs.find("purge_build", id), { timeout: 60_000 })
      .toMatchObject({ attempts: 1, error });
    await writeFile(join(directory, "works"), "");
    test.clock.advance("20 seconds");
    jobs.wake();
    await expect.poll(() => store.jobs.find("purge_build", id), { timeout: 60_000 }).toBeUndefined();
    const paths = Object.values(files).map(({ objectKey }) => `/${objectKey}`);
    expect((await readFile(join(directory, "purged"), "utf8")).trim().split("\n").sort()).toEqual(paths.sort());
    expect(test.logs()).toContain("purged a withdrawn build from the CDN");
  });

  it("are not purged by a copy of the database", async () => {
    const { store, objects } = test.service.services;
    const { published } = await publish("copied", 0);
    const purged: string[] = [];
    const options = { store, objects, command: "true", onPurged: (id: string) => purged.push(id) };
    const context = { signal: new AbortController().signal, change: store.change };
    for (const isCopy of [true, false]) {
      await purgeJob({ ...options, isQuiet: async () => isCopy }).run({ buildId: published.build.id }, context);
    }
    expect(purged).toEqual([published.build.id]);
  });
});
