import { describe, expect, it } from "vitest";
import { eitherEngine } from "../../../../rigs/harness/service/engines.ts";
import { enqueue } from "../../src/domain/jobs/jobs.ts";
import { terminalOn } from "./terminal.ts";

for (const engine of eitherEngine()) {
  describe(`jobs on ${engine.name}`, () => {
    const terminal = terminalOn(engine);

    it("lists jobs with the reason of their failure, and retries them", async () => {
      expect((await terminal.run("jobs", "list")).out).toBe("No jobs.\n");
      const { store } = terminal.opened;
      const now = new Date();
      await enqueue(store, "make_patches", { versionId: "vpn_ip_v1", buildId: "build" }, now);
      const claim = { by: "a process", until: new Date(now.getTime() + 60_000) };
      const { id = "" } = (await store.jobs.claim("make_patches", claim, now)) ?? {};
      await store.jobs.release(id, claim.by, { attempts: 7, due: now, error: "the disk is full", failed: now });
      expect((await terminal.run("jobs", "list")).out).toBe(
        `TYPE          SUBJECT    STATE   ATTEMPTS  NEXT ATTEMPT  LAST ERROR        ID\n` +
          `make_patches  vpn_ip_v1  failed  7         -             the disk is full  ${id}\n`,
      );
      expect((await terminal.run("jobs", "retry", id)).out).toBe("The next free server attempts it.\n");
      expect(await terminal.json("jobs", "list")).toMatchObject([{ id, state: "queued", attempts: 0, error: null }]);
    });
  });
}
