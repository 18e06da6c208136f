/**
 * A publisher in a process of its own, to be killed: `node publisher.ts '<settings as JSON>' <version>`. It publishes
 * one build after the other, and says on standard output how far each has come.
 */
import { publishFiles } from "../../src/builds/publication.ts";
import { openWorkplace } from "../../src/service.ts";
import type { Settings } from "../../src/settings.ts";
import { inPieces, made } from "./made.ts";

const [settings = "", id = ""] = process.argv.slice(2);
const workplace = openWorkplace(JSON.parse(settings) as Settings, { say: () => {}, announce: () => {} });
const publisher = { operation: () => workplace.operation(), objects: await workplace.objects() };

// Beyond the threads' threshold every other time.
for (let i = 0; ; i += 1) {
  const { document, files } = made(id, {
    rows: i % 2 === 0 ? 5000 : 8000,
    mark: `${process.pid} ${i} `.padEnd(150, "."),
  });
  process.stdout.write("begun\n");
  const arriving = Object.entries(files).map(([format, bytes]) => [format, inSteps(format, bytes)]);
  await publishFiles(publisher, { versionId: id, document, files: Object.fromEntries(arriving), force: true });
  process.stdout.write("published\n");
}

async function* inSteps(format: string, bytes: Buffer): AsyncGenerator<Buffer> {
  process.stdout.write(`${format} arrives\n`);
  yield* inPieces(bytes, 65_536);
  process.stdout.write(`${format} has arrived\n`);
}
