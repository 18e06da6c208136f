import { randomBytes } from "node:crypto";
import { gzipSync } from "node:zlib";
import type { Operator } from "../../../../../rigs/harness/service/test-service.ts";
import { publishFiles } from "../../../src/domain/builds/publishing/publish-files.ts";
import { sampleBuild } from "./sample-build.ts";

/** Publishes a build of a csv.gz with the columns `network` and `provider`, and returns its id. */
export async function publishRows(operator: Operator, versionId: string, rows: string): Promise<string> {
  const { objects } = operator.service.services;
  const csvgz = gzipSync(`network,provider\n${rows}`);
  const overrides = { entries: rows.split("\n").length - 1, size: { csvgz: csvgz.length } };
  const { document } = sampleBuild(versionId, { formats: ["csvgz"], overrides });
  async function* source() {
    yield csvgz;
  }
  const { build } = await publishFiles(
    { operation: async () => operator.operation(), objects },
    { versionId, document, files: { csvgz: source() }, force: true },
  );
  await operator.settle();
  return build.id;
}

/** Sorted rows with different IPv4 networks, whose other values do not compress. */
export function randomRows(count: number): string {
  let rows = "";
  for (let i = 0; i < count; i++) {
    rows += `${[1 + (i >>> 16), (i >>> 8) & 255, i & 255].join(".")}.0/24,${randomBytes(16).toString("hex")}\n`;
  }
  return rows;
}
