import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { Reader, type Response } from "mmdb-lib";
import { afterEach, beforeEach, expect } from "vitest";
import { exportDatabase } from "../src/export.ts";
import { ExportFault } from "../src/export-fault.ts";
import type { ExportOptions } from "../src/options.ts";

let dir: string;

/** Gives each test in the file its own folder. */
export function useFolder(): void {
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), "dbdepot-export-"));
  });
  afterEach(() => rm(dir, { recursive: true }));
}

/** A path in the test's folder. */
export function inDir(...names: string[]): string {
  return join(dir, ...names);
}

export const VPN = `network,provider,asn,is_vpn,score
1.2.3.0/24,"Acme, Inc",64496,true,0.50
1.2.3.4/32,Beta,64497,false,
2001:db8::/32,Acme,64496,true,1.25
`;

/** Exports a text as a CSV file and reads the result. */
export async function exportText(text: string | Buffer, options: Partial<ExportOptions> = {}) {
  const input = inDir("input.csv");
  await writeFile(input, text);
  return exportAndRead({ input, ...options });
}

export async function exportAndRead(options: Partial<ExportOptions> & Pick<ExportOptions, "input">) {
  const result = await exportDatabase({ id: "vpn_ip_v1", outDir: inDir("out"), updated: "2026-01-02", ...options });
  const { csvgz, mmdb } = result.files;
  const csvBytes = csvgz && (await readFile(csvgz.path));
  const mmdbBytes = mmdb && (await readFile(mmdb.path));
  const reader = mmdbBytes && new Reader<Response>(mmdbBytes);
  return {
    ...result,
    csvBytes,
    mmdbBytes,
    csv: csvBytes && gunzipSync(csvBytes).toString(),
    metadataText: await readFile(result.metadataPath, "utf8"),
    lookUp: (address: string): unknown => reader?.get(address),
    reader,
  };
}

export async function faultsOf(exporting: Promise<unknown>): Promise<string[]> {
  const error = await exporting.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ExportFault);
  return (error as ExportFault).faults;
}

export async function filesIn(folder: string): Promise<string[]> {
  return readdir(inDir(folder)).catch(() => []);
}
