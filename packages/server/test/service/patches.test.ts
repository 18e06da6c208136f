import { Readable } from "node:stream";
import { expect, it } from "vitest";
import { stages } from "../../../../rigs/harness/service/stages.ts";
import { testService } from "../../../../rigs/harness/service/test-service.ts";
import { publishFiles } from "../../src/domain/builds/publishing/publish-files.ts";
import { sampleBuild } from "../domain/builds/sample-build.ts";

it("makes patches in the background after a publish, and offers them", async () => {
  const [stage] = stages();
  if (!stage) throw new Error("no stage");
  const { service, operator, logs, dispose } = await testService(stage, { DBDEPOT_PATCH_BASES: "1" });
  try {
    const { store, objects, register } = service.services;
    await operator.addDatabase("vpn_ip_v1", { formats: ["mmdb"] });
    const { document, files } = sampleBuild("vpn_ip_v1", { formats: ["mmdb"] });
    const { build } = await publishFiles(
      { operation: async () => operator.operation(), objects },
      { versionId: "vpn_ip_v1", document, files: { mmdb: Readable.from([files.mmdb]) }, force: false },
    );
    await expect.poll(() => store.patches.ofBuilds([build.id])).toHaveLength(1);
    const [copy] = await store.patches.ofBuilds([build.id]);
    expect(copy).toMatchObject({ baseBuildId: null, reason: null });
    await operator.settle();
    expect(register.patch(build.id, "mmdb", copy?.baseSha256 ?? "")).toEqual(copy);
    await expect.poll(() => store.jobs.find("make_patches", "vpn_ip_v1")).toBeUndefined();
    expect(logs()).toContain("made a patch");
  } finally {
    await dispose();
  }
});
