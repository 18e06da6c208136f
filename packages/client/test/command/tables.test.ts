import { readFile, rm, stat } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { call } from "../../../../rigs/harness/service/customer.ts";
import { eitherStage } from "../../../../rigs/harness/service/stages.ts";
import { updateVersion } from "../../../server/src/domain/catalogue/catalogue.ts";
import type { CreatedKey, Download } from "../../src/api/wire.gen.ts";
import type { Table } from "../../src/index.ts";
import { Shell } from "./shell.ts";

const TABLE: Table = { share: "vpn_ip", schema: "default", name: "vpn_ip_v1" };
const URL = "/delta-sharing/shares/vpn_ip/schemas/default/tables/vpn_ip_v1";

for (const stage of eitherStage()) {
  describe(`Tables in dbdepot on ${stage.name}`, () => {
    let shell: Shell;
    beforeAll(async () => {
      shell = await Shell.open({}, stage);
      const { operator, service } = shell.test;
      await shell.publish("vpn_ip_v1");
      await updateVersion(operator.operation(), "vpn_ip_v1", { tables: true });
      await operator.settle();
      const { jobs, store } = service.services;
      jobs.wake();
      const isWritten = async () => (await store.sharing.latest("vpn_ip_v1")) !== undefined;
      await vi.waitUntil(isWritten, { timeout: 60_000, interval: 50 });
    });
    afterAll(() => shell.dispose());

    const profileAt = async (path: string) => JSON.parse(await readFile(path, "utf8"));
    const readWith = ({ endpoint, bearerToken }: { endpoint: string; bearerToken: string }) =>
      call(`${endpoint}/shares`, { headers: { authorization: `Bearer ${bearerToken}` } });

    it("lists tables, and writes a profile file with the key in use", async () => {
      expect(await shell.json(0, "share")).toEqual([TABLE]);
      const path = shell.path("mine.share");
      const { out } = await shell.run("share", "--profile", path);
      expect(out).toMatch(/^profile +\S+mine\.share$/m);
      expect(out).toContain(`${path}#vpn_ip.default.vpn_ip_v1`);
      expect((await stat(path)).mode & 0o777).toBe(0o600);
      const profile = await profileAt(path);
      expect(profile).toEqual({
        shareCredentialsVersion: 1,
        endpoint: `${shell.test.service.apiUrl}/delta-sharing`,
        bearerToken: shell.customer.key,
      });
      expect((await readWith(profile)).json).toEqual({ items: [{ name: "vpn_ip" }] });
      expect((await shell.run("share", "--profile", path)).exitCode).not.toBe(0);
      expect(await profileAt(path)).toEqual(profile);
      // The shell checks that no other file contains the key.
      await rm(path);
    });

    it("creates a key in a profile file, with its expiry, and does not show it", async () => {
      const path = shell.path("warehouse.share");
      const args = ["keys", "create", "--name", "warehouse", "--expires", "2099-01-01", "--profile", path];
      const created = (await shell.json(0, ...args)) as Omit<CreatedKey, "key">;
      expect(created).not.toHaveProperty("key");
      expect(created).toMatchObject({ name: "warehouse", profile: path, expires: "2099-01-01T00:00:00Z" });
      const profile = await profileAt(path);
      expect(profile).toMatchObject({ expirationTime: "2099-01-01T00:00:00Z" });
      expect((await readWith(profile)).status).toBe(200);
      expect((await shell.run(...args, "--save", "x")).exitCode).toBe(2);
    });

    it("shows queries of tables in the history only if asked", async () => {
      const reply = await call(`${shell.test.service.apiUrl}${URL}/query`, {
        method: "POST",
        headers: { authorization: `Bearer ${shell.customer.key}`, "content-type": "application/json" },
        body: "{}",
      });
      expect(reply.status).toBe(200);
      expect(await shell.json(0, "history", "--database", "vpn_ip_v1")).toEqual([]);
      const queries = (await shell.json(0, "history", "--tables")) as Download[];
      expect(queries).toMatchObject([{ dataset_id: "vpn_ip_v1", format: "parquet", outcome: "ok" }]);
    });
  });
}
