/**
 * A publisher in its own process, for the tests to kill: `node publisher.ts '<settings as JSON>' <version> <rows>`. After
 * a line on standard input it publishes one build after the other and prints each step.
 */
import { once } from "node:events";
import { diskStore } from "../../../src/adapters/objects/disk.ts";
import { openStore } from "../../../src/adapters/sql/open.ts";
import { publishFiles } from "../../../src/domain/builds/publishing/publish-files.ts";
import type { Settings } from "../../../src/settings/settings.ts";
import { inChunks, sampleBuild } from "./sample-build.ts";

const [settingsJson = "", id = "", rows = ""] = process.argv.slice(2);
const settings = JSON.parse(settingsJson) as Settings;
const store = await openStore(settings.database);
const objects = await openObjects();
const operation = async () => ({ store, actor: "killed publisher", now: new Date() });
await store.versions.list();
report("ready");
await once(process.stdin, "data");

for (let i = 0; ; i += 1) {
  const mark = `${process.pid} ${i} `.padEnd(150, ".");
  const { document, files } = sampleBuild(id, { rows: Number(rows), mark });
  report("started");
  const streams = Object.entries(files).map(([format, bytes]) => [format, reportingSteps(format, bytes)]);
  await publishFiles(
    { operation, objects },
    { versionId: id, document, files: Object.fromEntries(streams), force: true },
  );
  report("published");
}

/** Does not use service.ts, which takes longer to load than a publish takes. */
async function openObjects() {
  const { objects: address, aws } = settings;
  const credentials = aws ?? { accessKeyId: "none", secretAccessKey: "none" };
  if (address.store === "disk") {
    const { folder } = address;
    return diskStore({ folder, linkOrigin: "http://localhost", authority: { credentials, region: "local" } });
  }
  const { s3Store } = await import("../../../src/adapters/objects/s3.ts");
  return s3Store({ address, credentials, publicEndpoint: undefined });
}

async function* reportingSteps(format: string, bytes: Buffer): AsyncGenerator<Buffer> {
  report(`${format} started`);
  yield* inChunks(bytes, 65_536);
  report(`${format} read`);
}

function report(step: string): void {
  process.stdout.write(`${step}\n`);
}
