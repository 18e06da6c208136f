import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { needs } from "../../../../../rigs/harness/needs.ts";
import type { Customer } from "../../../../../rigs/harness/service/customer.ts";
import { eitherStage } from "../../../../../rigs/harness/service/stages.ts";
import { fileBytes, type TestService, testService } from "../../../../../rigs/harness/service/test-service.ts";
import { PAGES } from "../../docs/pages.ts";
import { runScript } from "../../docs/shell.ts";

const CONTENT = "0123456789abcdef".repeat(2 ** 10);
const PATH = "/api/v2/database/download?id=vpn_ip_v1&format=mmdb";
const FETCH: Record<string, string> = {
  wget: "wget -q -O vpn_ip_v1.mmdb.part",
  aria2c: "aria2c -q -o vpn_ip_v1.mmdb.part",
};

/** The block of the page that uses the tool. */
function documented(tool: string): string {
  const page = PAGES.find(({ path }) => path === "docs/customers/api.md");
  const block = page?.blocks.find(({ info, code }) => info === "sh" && code.includes(`${tool} `));
  if (!block) throw new Error(`docs/customers/api.md has no block for ${tool}`);
  return block.code;
}

for (const stage of eitherStage()) {
  describe(`Tools that forward headers to object storage, on ${stage.name}`, () => {
    let test: TestService;
    let acme: Customer;
    let folder: string;
    beforeAll(async () => {
      test = await testService(stage);
      acme = await test.operator.customer("Acme");
      await test.operator.addDatabase("vpn_ip_v1");
      await test.operator.grant("Acme", "vpn_ip");
      await test.operator.publish("vpn_ip_v1", CONTENT);
      folder = await mkdtemp(join(tmpdir(), "dbdepot-tools-"));
    });
    afterAll(async () => {
      await test.dispose();
      await rm(folder, { recursive: true });
    });

    const run = (script: string) =>
      runScript(script, folder, {
        PATH: process.env.PATH ?? "",
        HOME: folder,
        DBDEPOT_CLIENT_URL: acme.apiUrl,
        DBDEPOT_CLIENT_KEY: acme.key,
      });

    const rows = async () => (await acme.history()).map(({ outcome, apikey_id }) => [outcome, apikey_id]);
    const downloaded = () => readFile(join(folder, "vpn_ip_v1.mmdb.part"));

    for (const tool of ["wget", "aria2c"]) {
      describe(tool, needs(tool), () => {
        it("downloads with the lines of docs/customers/api.md, with one row in the history", async () => {
          const before = (await rows()).length;
          await run(documented(tool));
          expect(await downloaded()).toEqual(fileBytes("mmdb", CONTENT));
          expect((await rows()).slice(0, -before || undefined)).toEqual([["ok", acme.keyId]]);
          await rm(join(folder, "vpn_ip_v1.mmdb.part"));
        });

        it("needs them, because the storage refuses Authorization, and may use X-Api-Key", async () => {
          const fetch = (header: string) => run(`${FETCH[tool]} --header "${header}" "${acme.apiUrl}${PATH}"`);
          await expect(fetch(`Authorization: Bearer ${acme.key}`)).rejects.toThrow("exit code");
          await rm(join(folder, "vpn_ip_v1.mmdb.part"), { force: true });
          await fetch(`X-Api-Key: ${acme.key}`);
          expect(await downloaded()).toEqual(fileBytes("mmdb", CONTENT));
          await rm(join(folder, "vpn_ip_v1.mmdb.part"));
        });
      });
    }
  });
}
