import { describe, it } from "vitest";
import { startOwnPostgres } from "../../../../rigs/harness/servers/postgres-server.ts";
import { type Stage, stages } from "../../../../rigs/harness/service/stages.ts";
import { testService } from "../../../../rigs/harness/service/test-service.ts";
import { expectToSurviveOutage, serviceBehindProxy } from "./outage-under-load.ts";

const [, stage] = stages() as [Stage, Stage];

describe("When Postgres crashes and starts again", () => {
  it("known keys list, poll and download under load, and every attempt is stored once", async () => {
    const postgres = await startOwnPostgres();
    const test = await testService(stage, { DBDEPOT_DATABASE_URL: postgres.url });
    await expectToSurviveOutage(test, { begin: () => postgres.crash(), end: () => postgres.start() });
    await test.dispose();
    await postgres.stop();
  });
});

describe.each([
  ["accepts connections and never answers", "hang"],
  ["receives requests and its answers are lost", "lose answers"],
] as const)("While Postgres %s", (_, mode) => {
  it("known keys list, poll and download under load, and every attempt is stored once", async () => {
    const { test, proxy, dispose } = await serviceBehindProxy(600);
    const setMode = (next: typeof proxy.mode) => {
      proxy.mode = next;
    };
    await expectToSurviveOutage(test, { begin: () => setMode(mode), end: () => setMode("forward") });
    await dispose();
  });
});
