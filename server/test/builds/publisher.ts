/**
 * A publisher in a process of its own, to be killed: `node publisher.ts '<settings as JSON>' <version> <rows>`. Once a
 * line has come on standard input it publishes one build after the other, and says how far each has come.
 */
import { once } from "node:events";
import { publishFiles } from "../../src/builds/publication.ts";
import { diskStore } from "../../src/objects/disk.ts";
import type { Settings } from "../../src/settings.ts";
import { openStore } from "../../src/sql/open.ts";
import { inPieces, made } from "./made.ts";

const [settingsJson = "", id = "", rows = ""] = process.argv.slice(2);
const settings = JSON.parse(settingsJson) as Settings;
const store = await openStore(settings.database);
const objects = await openObjects();
const operation = async () => ({ store, actor: "the one to be killed", now: new Date() });
await store.versions.list();
say("ready");
await once(process.stdin, "data");

for (let i = 0; ; i += 1) {
  const mark = `${process.pid} ${i} `.padEnd(150, ".");
  const { document, files } = made(id, { rows: Number(rows), mark });
  say("begun");
  const arriving = Object.entries(files).map(([format, bytes]) => [format, inSteps(format, bytes)]);
  await publishFiles(
    { operation, objects },
    { versionId: id, document, files: Object.fromEntries(arriving), force: true },
  );
  say("published");
}

/** Not by way of service.ts: most of what that loads is not needed here, and takes longer than a publication. */
async function openObjects() {
  const { objects: address, aws } = settings;
  const credentials = aws ?? { accessKeyId: "none", secretAccessKey: "none" };
  if (address.store === "disk") {
    const { folder } = address;
    return diskStore({ folder, linkOrigin: "http://localhost", authority: { credentials, region: "local" } });
  }
  const { s3Store } = await import("../../src/objects/s3.ts");
  return s3Store({ address, credentials, publicEndpoint: undefined });
}

async function* inSteps(format: string, bytes: Buffer): AsyncGenerator<Buffer> {
  say(`${format} arrives`);
  yield* inPieces(bytes, 65_536);
  say(`${format} has arrived`);
}

function say(word: string): void {
  process.stdout.write(`${word}\n`);
}
