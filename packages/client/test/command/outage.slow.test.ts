import { readFile } from "node:fs/promises";
import { expect, it, vi } from "vitest";
import { startOwnPostgres } from "../../../../rigs/harness/servers/postgres-server.ts";
import { type Stage, stages } from "../../../../rigs/harness/service/stages.ts";
import { createSigningKey } from "../../../server/src/domain/manifests/signing-keys.ts";
import { Shell } from "./shell.ts";

const ID = "vpn_ip_v1";
const [, stage] = stages() as [Stage, Stage];

it("dbdepot sync downloads and verifies the current build while PostgreSQL is stopped", async () => {
  const postgres = await startOwnPostgres();
  const shell = await Shell.open({ DBDEPOT_DATABASE_URL: postgres.url }, stage);
  try {
    const { register, database } = shell.test.service.services;
    await createSigningKey(shell.test.operator.operation());
    await shell.publish(ID, { mark: "one" });
    expect((await shell.run("sync", ID)).exitCode).toBe(0);
    const { files, buildId } = await shell.publish(ID, { mark: "two" });
    await vi.waitUntil(() => register.hasAllKeys, { timeout: 60_000 });
    await postgres.crash();
    await vi.waitUntil(() => database.isOutOfReach(), { timeout: 60_000 });

    expect(await shell.run("sync", ID)).toMatchObject({ exitCode: 0, err: "" });
    expect(await readFile(shell.database(`${ID}.mmdb`))).toEqual(files.mmdb);
    expect((await shell.run("verify", ID)).out).toMatch(`matches the signed manifest of build ${buildId}`);
    expect((await shell.run("download", ID, "--build", buildId, "--to", shell.path("pinned.mmdb"))).exitCode).toBe(0);
    await postgres.start();
  } finally {
    await shell.dispose();
    await postgres.stop();
  }
});
