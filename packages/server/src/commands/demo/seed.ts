import { createReadStream } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ByFileKind, FORMATS, sampleOf } from "@dbdepot/contract/shared/formats";
import { exportDatabase } from "@dbdepot/exporter/export";
import { type Publisher, publishFiles } from "../../domain/builds/publishing/publish-files.ts";
import { addFamily, addVersion } from "../../domain/catalogue/catalogue.ts";
import { grantLicence } from "../../domain/licences/licences.ts";
import { createSigningKey } from "../../domain/manifests/signing-keys.ts";
import { addOrganization } from "../../domain/organizations/organizations.ts";
import { DAY_MS, utcDayOf } from "../../platform/primitives/dates.ts";
import { DEMO_FAMILIES, type DemoVersion } from "./databases.ts";
import { DEMO_ORGANIZATIONS, type DemoLicence } from "./organizations.ts";

/** Creates the demo's catalogue and customers, with the same exporter and publish code that operators use. */
export async function seed(publisher: Publisher, say: (line: string) => void): Promise<void> {
  await createSigningKey(await publisher.operation());
  for (const { versions, ...family } of DEMO_FAMILIES) {
    await addFamily(await publisher.operation(), family);
    for (const version of versions) {
      await addVersion(await publisher.operation(), version);
      if (version.rows) await publishRows(publisher, version, version.rows);
      say(version.rows ? `published ${version.id}\n` : `added ${version.id} without a build\n`);
    }
  }
  for (const { name, licences } of DEMO_ORGANIZATIONS) {
    await addOrganization(await publisher.operation(), name);
    await grantDemoLicences(publisher.operation, name, licences);
  }
}

export async function grantDemoLicences(
  operationOf: Publisher["operation"],
  organization: string,
  licences: readonly DemoLicence[],
): Promise<void> {
  for (const licence of licences) {
    const operation = await operationOf();
    const inDays = (days: number) => new Date(operation.now.getTime() + days * DAY_MS);
    const { endsInDays, renewsInDays, noticeDueInDays } = licence;
    await grantLicence(operation, {
      organization,
      base: licence.base,
      redistribution: licence.redistribution,
      starts: inDays(licence.startsInDays),
      expires: endsInDays === null ? null : inDays(endsInDays),
      renewsAt: renewsInDays === undefined ? null : inDays(renewsInDays),
      noticeDueAt: noticeDueInDays === undefined ? null : inDays(noticeDueInDays),
    });
  }
}

export async function publishRows(
  publisher: Publisher,
  { id, formats, columns, summary, sampleRows }: DemoVersion,
  rows: NonNullable<DemoVersion["rows"]>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "dbdepot-demo-"));
  try {
    const updated = utcDayOf((await publisher.operation()).now);
    const made = await exportDatabase({
      id,
      input: rows,
      outDir: folder,
      updated,
      updateFreq: "daily",
      formats,
      columns,
      description: summary,
      ...(sampleRows !== undefined && { sampleRows }),
    });
    const files: ByFileKind<AsyncIterable<Buffer>> = {};
    for (const format of FORMATS) {
      const [file, sample] = [made.files[format], made.sample?.files[format]];
      if (file) files[format] = createReadStream(file.path);
      if (sample) files[sampleOf(format)] = createReadStream(sample.path);
    }
    const document = await readFile(made.metadataPath);
    await publishFiles(publisher, { versionId: id, document, files, force: false });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
