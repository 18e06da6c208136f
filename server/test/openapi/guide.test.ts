import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openApiDocument } from "../../src/http/openapi/document.ts";
import { CUSTOMER_ROUTES } from "../../src/http/routes.ts";
import { fileBytes } from "../test-service.ts";
import { isInstalled } from "../tools.ts";
import { openScene, type Scene } from "./scene.ts";

const run = promisify(execFile);
const hasCurl = isInstalled("curl");
const document = openApiDocument(CUSTOMER_ROUTES);

let scene: Scene;
let folder: string;
beforeAll(async () => {
  scene = await openScene();
  folder = await mkdtemp(join(tmpdir(), "dbdepot-guide-"));
});
afterAll(async () => {
  await scene.dispose();
  await rm(folder, { recursive: true });
});

/** Pasted by somebody who has set the two variables to what they are here. */
async function paste(script: string): Promise<string> {
  const env = {
    PATH: process.env.PATH,
    DBDEPOT_CLIENT_URL: scene.service.apiUrl,
    DBDEPOT_CLIENT_KEY: scene.customer.key,
    DBDEPOT_CLIENT_ADMIN_KEY: scene.customer.key,
    DBDEPOT_CLIENT_V1_KEY: scene.uuid,
    KEY_ID: (await scene.operator.colleague(scene.customer)).keyId,
  };
  const { stdout } = await run("bash", ["-euo", "pipefail", "-c", script], { cwd: folder, env });
  return stdout;
}

test.runIf(hasCurl)("the guide's lines work as they stand, one after the other", async () => {
  const [variables, list, download, verify, poll, resume, history, create, ...more] = codeBlocks(
    document.info.description,
  );
  expect(more).toEqual([]);
  expect(variables).toContain("export DBDEPOT_CLIENT_KEY=");
  expect(JSON.parse(await paste(list ?? "")).databases).not.toEqual([]);
  const breakOff = "head -c 5 vpn_ip_v1.mmdb >vpn_ip_v1.mmdb.part";
  const output = await paste([download, verify, breakOff, resume].join("\n"));
  expect(output).toContain("vpn_ip_v1.mmdb.part: OK");
  const bytes = fileBytes("mmdb", "content of vpn_ip_v1");
  expect(await readFile(join(folder, "vpn_ip_v1.mmdb"))).toEqual(bytes);
  expect(await readFile(join(folder, "vpn_ip_v1.mmdb.part"))).toEqual(bytes);
  expect(await paste(poll ?? "")).toBe("200\n");
  expect(await paste(poll ?? "")).toBe("304\n");
  expect(JSON.parse(await readFile(join(folder, "vpn_ip_v1.json"), "utf8")).id).toBe("vpn_ip_v1");
  expect(await paste(history ?? "")).toMatch(/^HTTP\/1.1 200 .*"downloads":\[\{"dataset_id":"vpn_ip_v1"/s);
  expect(JSON.parse(await paste(create ?? ""))).toMatchObject({ rc: "SUCCESS", allowed_scopes: ["db.download"] });
});

const samples = Object.values(document.paths).flatMap((operations) =>
  Object.values(operations).flatMap(({ operationId, "x-codeSamples": samples }) =>
    samples.map(({ source }) => ({ operationId, source })),
  ),
);

test.runIf(hasCurl).for(samples)("the example of $operationId works as it stands", async ({ source }) => {
  // curl's -f makes every status from 400 on a failure.
  await paste(source);
});

function codeBlocks(markdown: string): string[] {
  return [...markdown.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, code = ""]) => code);
}
