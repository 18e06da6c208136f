import type { Command } from "@dbdepot/terminal/command";
import { formatBytes } from "@dbdepot/terminal/format";
import type { Output } from "@dbdepot/terminal/output";
import type { MetadataResult } from "../api/metadata.ts";
import type { Database, DatabaseMetadata } from "../api/wire.gen.ts";
import { DbdepotError } from "../errors.ts";
import type { Run } from "./context.ts";
import { exitCodeOf } from "./exit-codes.ts";
import { inOneLine } from "./explanation.ts";
import { FORMATS, formatsOf } from "./formats.ts";
import { suggestingId } from "./suggestion.ts";

export function addInfoCommand(program: Command, run: Run): void {
  program
    .command("info")
    .description("Show a database: your licence, its current build and its columns")
    .argument("<id>", "database, like vpn_ip_v1")
    .action(
      run(async ({ output, client: createClient, signals }, id) => {
        const client = createClient();
        const { stop: signal } = signals;
        const result = await client.metadata(id, { signal }).catch((error: unknown) => error);
        // If the build is refused, still show the catalogue entry.
        if (!isMetadata(result) && !isRefusal(result)) return await suggestingId(client, id, signal)(result);
        const family = (await client.list({ signal })).find(({ versions }) => versions.some((one) => one.id === id));
        const metadata = isMetadata(result) && result.changed ? result.metadata : null;
        const refusal = isMetadata(result) ? null : inOneLine(result);
        const buildId = isMetadata(result) ? result.buildId : null;
        const build = metadata ? buildFacts(metadata, buildId) : { build: refusal };
        return {
          json: { id, build_id: buildId, family: family ?? null, metadata, refusal },
          text: output.details({ ...facts(id, family), ...build }) + (metadata ? columnTable(metadata, output) : ""),
          exitCode: refusal === null ? 0 : exitCodeOf(result),
        };
      }),
    );
}

function isMetadata(value: unknown): value is MetadataResult {
  return !(value instanceof Error);
}

function isRefusal(error: unknown): boolean {
  return (
    error instanceof DbdepotError &&
    ["not_licensed", "licence_expired", "terms_not_accepted", "not_available"].includes(error.kind)
  );
}

function facts(id: string, family: Database | undefined) {
  if (!family) return { id };
  const { name, standing, redistribution, starts, expires, open, renews_at: renews, notice_due_at: notice } = family;
  const { terms_to_accept: terms } = family;
  const version = family.versions.find((one) => one.id === id);
  return {
    id,
    name,
    summary: version?.summary,
    standing: redistribution ? `${standing} (${redistribution})` : standing,
    samples: version?.sample_formats?.join(", ") || undefined,
    term: starts ? `${starts.slice(0, 10)} to ${expires?.slice(0, 10) ?? "no end"}` : undefined,
    ...(renews && { renews: renews.slice(0, 10) }),
    ...(notice && { "notice due": notice.slice(0, 10) }),
    ...(terms && { terms: `${terms}, not accepted yet` }),
    ...(open && { open: "yes, it needs no licence" }),
  };
}

function buildFacts(metadata: DatabaseMetadata, buildId: string | null) {
  const sizes = formatsOf(metadata).map((format) => [format, formatBytes(metadata.size[format] ?? 0)]);
  return {
    updated: metadata.update_freq ? `${metadata.updated} (${metadata.update_freq})` : metadata.updated,
    rows: metadata.entries,
    ...Object.fromEntries(sizes),
    ...sampleFacts(metadata),
    build: buildId,
  };
}

function sampleFacts({ sample_entries: entries, sample_size: size = {} }: DatabaseMetadata) {
  const sizes = FORMATS.filter((format) => size[format] !== undefined).map((format) => [
    `sample ${format}`,
    formatBytes(size[format] ?? 0),
  ]);
  return { "sample rows": entries, ...Object.fromEntries(sizes) };
}

/** One table if all formats have the same columns, else one for each format. */
function columnTable(metadata: DatabaseMetadata, output: Output): string {
  const tables = formatsOf(metadata).map((format) => {
    const rows = (metadata.schema[format] ?? []).map(({ name, type, description }) => [name, type, description]);
    return {
      format,
      text: output.table(["COLUMN", "TYPE", "DESCRIPTION"], rows, "The columns are not documented."),
    };
  });
  const isSame = tables.every(({ text }) => text === tables[0]?.text);
  if (isSame) return `\n${tables[0]?.text ?? ""}`;
  return tables.map(({ format, text }) => `\n${format}:\n${text}`).join("");
}
