import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { needs } from "../../../../rigs/harness/needs.ts";
import { fileBytes } from "../../../../rigs/harness/service/test-service.ts";
import { createFreshnessKey } from "../../src/domain/manifests/freshness-keys.ts";
import { createSigningKey } from "../../src/domain/manifests/signing-keys.ts";
import { openApiDocument } from "../../src/http/openapi/document.ts";
import { DOCUMENTED_ROUTES } from "../../src/http/routes.ts";
import { addTables, type Fixture, newWebhook, onlyDestination, openFixture } from "./fixture.ts";

const run = promisify(execFile);
const document = openApiDocument(DOCUMENTED_ROUTES);

let fixture: Fixture;
let folder: string;
beforeAll(async () => {
  fixture = await openFixture();
  await createSigningKey(fixture.operator.operation());
  await createFreshnessKey(
    { ...fixture.operator.operation(), rules: fixture.service.services.rules },
    { validDays: 365 },
  );
  await addTables(fixture, ["vpn_ip_v1"]);
  folder = await mkdtemp(join(tmpdir(), "dbdepot-guide-"));
});
afterAll(async () => {
  await fixture.dispose();
  await rm(folder, { recursive: true });
});

/** Runs a script with the environment variables that the guide tells customers to set. */
async function runScript(script: string): Promise<string> {
  const env = {
    PATH: process.env.PATH,
    DBDEPOT_CLIENT_URL: fixture.service.apiUrl,
    DBDEPOT_CLIENT_KEY: fixture.customer.key,
    DBDEPOT_CLIENT_ADMIN_KEY: fixture.customer.key,
    DBDEPOT_CLIENT_V1_KEY: fixture.uuid,
    DEVICE_CODE: "unknown",
    REFRESH_TOKEN: "unknown",
    KEY_ID: (await fixture.operator.colleague(fixture.customer)).keyId,
    ...(script.includes("$WEBHOOK_ID") && (await newWebhook(fixture))),
    ...(script.includes("/api/v2/destinations") && (await onlyDestination(fixture))),
  };
  const { stdout } = await run("bash", ["-euo", "pipefail", "-c", script], { cwd: folder, env });
  return stdout;
}

test("runs every command of the API guide in order", needs("curl"), async () => {
  const [variables, list, download, verify, poll, resume, history, usage, create, ...more] = codeBlocks(
    document.info.description,
  );
  expect(more).toEqual([]);
  expect(variables).toContain("export DBDEPOT_CLIENT_KEY=");
  expect(JSON.parse(await runScript(list ?? "")).databases).not.toEqual([]);
  const truncate = "head -c 5 vpn_ip_v1.mmdb >vpn_ip_v1.mmdb.part";
  const output = await runScript([download, verify, truncate, resume].join("\n"));
  expect(output).toContain("vpn_ip_v1.mmdb.part: OK");
  const bytes = fileBytes("mmdb", "content of vpn_ip_v1");
  expect(await readFile(join(folder, "vpn_ip_v1.mmdb"))).toEqual(bytes);
  expect(await readFile(join(folder, "vpn_ip_v1.mmdb.part"))).toEqual(bytes);
  expect(await runScript(poll ?? "")).toBe("200\n");
  expect(await runScript(poll ?? "")).toBe("304\n");
  expect(JSON.parse(await readFile(join(folder, "vpn_ip_v1.json"), "utf8")).id).toBe("vpn_ip_v1");
  expect(await runScript(history ?? "")).toMatch(/^HTTP\/1.1 200 .*"downloads":\[\{"dataset_id":"vpn_ip_v1"/s);
  expect(JSON.parse(await runScript(usage ?? ""))).toMatchObject({ usage: [] });
  expect(JSON.parse(await runScript(create ?? ""))).toMatchObject({ rc: "SUCCESS", allowed_scopes: ["db.download"] });
});

test("the guide's verification keeps a damaged file from being put in place", needs("curl"), async () => {
  const [, , download, verify] = codeBlocks(document.info.description);
  const damage = "rm -f vpn_ip_v1.mmdb; printf x >>vpn_ip_v1.mmdb.part";
  // A customer's shell continues after a command has failed.
  const output = await runScript([download, damage, "set +e", verify, "ls"].join("\n"));
  expect(output).toContain("vpn_ip_v1.mmdb.part: FAILED");
  expect(output.split("\n")).not.toContain("vpn_ip_v1.mmdb");
});

const samples = Object.values(document.paths).flatMap((operations) =>
  Object.values(operations).flatMap(({ operationId, "x-codeSamples": samples = [] }) =>
    samples.map(({ source }) => ({ operationId, source })),
  ),
);

test.for(samples)("runs the example of $operationId", needs("curl"), async ({ source }) => {
  // curl -f fails for every status from 400.
  const isEndless = source.includes("/api/v2/events");
  const output = await runScript(isEndless ? cutShort(source) : source);
  if (isEndless) expect(output).toContain("event: reset\n");
});

/** Ends an endless response after a moment. */
function cutShort(script: string): string {
  return script.replace(/^curl .*/ms, (curl) => `timeout 2 ${curl.trimEnd()} || [ $? -eq 124 ]\n`);
}

function codeBlocks(markdown: string): string[] {
  return [...markdown.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, code = ""]) => code);
}
