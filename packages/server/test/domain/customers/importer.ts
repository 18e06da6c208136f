import { beforeAll, expect } from "vitest";
import type { TestEngine } from "../../../../../rigs/harness/service/engines.ts";
import { addFamily, addVersion } from "../../../src/domain/catalogue/catalogue.ts";
import { planToText } from "../../../src/domain/customers/diff.ts";
import { type CustomerFormat, importCustomers } from "../../../src/domain/customers/import.ts";
import { addTerms } from "../../../src/domain/terms/add.ts";
import { BadLines } from "../../../src/platform/primitives/bad-lines.ts";
import { operatorOn } from "../organizations/operator.ts";

const HEADER =
  "kind,organization,external_id,name,archived,family,redistribution,starts,expires,email,role,scopes,cidrs,create,key_prefix,sha256,uuid,databases";

type Cells = Record<string, string>;

/** A row of CSV, by column. */
export function row(kind: string, organization: string, cells: Cells = {}): string {
  return HEADER.split(",")
    .map((name) => ({ kind, organization, ...cells })[name] ?? "")
    .join(",");
}

export function csv(...rows: string[]): string {
  return [HEADER, ...rows, ""].join("\n");
}

interface FileTerms {
  format?: CustomerFormat;
  isDryRun?: boolean;
}

/** Imports files into a store that has the family vpn_ip and two versions of the terms data-licence. */
export function importerOn(engine: TestEngine) {
  const { opened, operation } = operatorOn(engine);
  beforeAll(async () => {
    await addFamily(operation(), { base: "vpn_ip", name: "VPN", visibility: "public" });
    await addVersion(operation(), { id: "vpn_ip_v1", summary: "VPN", formats: ["csvgz"] });
    for (const text of ["one", "two"]) await addTerms(operation(), { name: "data-licence", title: "Licence", text });
  });

  async function run(text: string, { format = "csv", isDryRun = false }: FileTerms = {}) {
    const file = { bytes: Buffer.from(text), format, maxRecords: 1000 };
    return (await importCustomers(operation(), file, { isDryRun })).result;
  }

  /** The changes as a diff, without the line about what is left alone. */
  async function diff(text: string, options?: FileTerms): Promise<string[]> {
    return planToText(await run(text, options))
      .split("\n")
      .filter((line) => /^[+~=]/.test(line));
  }

  async function faults(text: string, format: CustomerFormat = "csv"): Promise<string[]> {
    const before = await opened.dump();
    const error = await run(text, { format }).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(BadLines);
    expect(await opened.dump()).toEqual(before);
    return (error as BadLines).lines.map(({ line, reason }) => `${line}: ${reason}`);
  }

  return { opened, operation, run, diff, faults };
}
