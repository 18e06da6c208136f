import { Readable } from "node:stream";
import type { ByFileKind, FileKind } from "@dbdepot/contract/shared/formats";
import type { Page } from "playwright-core";
import type { TestService } from "../../../rigs/harness/service/test-service.ts";
import { publishFiles } from "../../server/src/domain/builds/publishing/publish-files.ts";
import { addFamily, addVersion } from "../../server/src/domain/catalogue/catalogue.ts";
import { sampleBuild } from "../../server/test/domain/builds/sample-build.ts";

const DAY_MS = 86_400_000;

/** A private family with a few builds, the last of which is overdue. */
export async function addExampleBuilds({ operator, service }: TestService): Promise<void> {
  const { objects } = service.services;
  await addFamily(operator.operation(), { base: "proxy_ip", name: "Proxy IP", visibility: "private" });
  const summary = "Addresses of open proxies, with their provider";
  await addVersion(operator.operation(), { id: "proxy_ip_v1", summary, formats: ["csvgz", "mmdb"] });
  for (const [daysAgo, rows] of [
    [6, 180],
    [5, 184],
    [4, 171],
  ] as const) {
    const now = new Date(operator.clock.now().getTime() - daysAgo * DAY_MS);
    const { document, files } = sampleBuild("proxy_ip_v1", {
      rows,
      updated: now.toISOString().slice(0, 10),
      overrides: { update_freq: "daily" },
    });
    const sources: ByFileKind<Readable> = {};
    for (const kind of Object.keys(files) as FileKind[]) sources[kind] = Readable.from([files[kind]]);
    const operation = async () => ({ ...operator.operation(), actor: "key:dbd_4fT9xQ2a", now });
    await publishFiles({ operation, objects }, { versionId: "proxy_ip_v1", document, files: sources, force: false });
  }
  await operator.settle();
}

/** Uploads another build in the page of the family. `overrides` replace fields of the metadata. */
export async function uploadExampleBuild(page: Page, rows: number, overrides: { entries?: number } = {}) {
  const { document, files } = sampleBuild("proxy_ip_v1", {
    rows,
    updated: new Date().toISOString().slice(0, 10),
    overrides: { update_freq: "daily", ...overrides },
  });
  const file = (name: string, buffer: Buffer = Buffer.of()) => ({ name, mimeType: "application/octet-stream", buffer });
  await page.getByRole("button", { name: "Publish a build" }).click();
  await page
    .getByRole("dialog")
    .locator("input[type=file][multiple]")
    .setInputFiles([
      file("proxy_ip_v1.metadata.json", document),
      file("proxy_ip_v1.csv.gz", files.csvgz),
      file("proxy_ip_v1.mmdb", files.mmdb),
    ]);
  await page.getByRole("button", { name: "Upload and check" }).click();
}
