import { inBytes } from "@dbdepot/terminal/amounts";
import { details, table } from "@dbdepot/terminal/table";
import type { MetadataAnswer } from "../client.ts";
import { DbdepotError } from "../errors.ts";
import type { Database, DatabaseMetadata } from "../wire.ts";
import { exitCodeOf } from "./exit-codes.ts";
import { inOneLine } from "./explanation.ts";
import { formatsOf } from "./formats.ts";
import { command } from "./workplace.ts";

export const infoCommands = [
  command({
    words: "info",
    summary: "Show a database: your licence, its current build, its columns.",
    arguments: ["ID"],
    options: {},
    async run(workplace, [id]) {
      const client = workplace.client();
      const { stop: signal } = workplace.signals;
      const answered = await client.metadata(id, { signal }).catch((error: unknown) => error);
      // What the catalogue tells is worth showing, whether or not one may see the build.
      if (!isAnswer(answered) && !isAboutLicences(answered)) throw answered;
      const family = (await client.list({ signal })).find(({ versions }) => versions.some((one) => one.id === id));
      const metadata = isAnswer(answered) && answered.changed ? answered.metadata : null;
      const refusal = isAnswer(answered) ? null : inOneLine(answered);
      const buildId = isAnswer(answered) ? answered.buildId : null;
      const { outColumns: columns } = workplace;
      return {
        json: { id, build_id: buildId, family: family ?? null, metadata, refusal },
        text:
          details(
            { ...facts(id, family), ...(metadata ? buildFacts(metadata, buildId) : { build: refusal }) },
            { columns },
          ) + (metadata ? columnTable(metadata, columns) : ""),
        exitCode: refusal === null ? 0 : exitCodeOf(answered),
      };
    },
  }),
];

function isAnswer(value: unknown): value is MetadataAnswer {
  return !(value instanceof Error);
}

function isAboutLicences(error: unknown): boolean {
  return error instanceof DbdepotError && ["not_licensed", "licence_expired", "not_available"].includes(error.kind);
}

function facts(id: string, family: Database | undefined) {
  if (!family) return { id };
  const { name, standing, redistribution, starts, expires } = family;
  return {
    id,
    name,
    summary: family.versions.find((version) => version.id === id)?.summary,
    standing: redistribution ? `${standing} (${redistribution})` : standing,
    term: starts ? `${starts.slice(0, 10)} to ${expires?.slice(0, 10) ?? "any time"}` : undefined,
  };
}

function buildFacts(metadata: DatabaseMetadata, buildId: string | null) {
  const sizes = formatsOf(metadata).map((format) => [format, inBytes(metadata.size[format] ?? 0)]);
  return {
    updated: metadata.update_freq ? `${metadata.updated} (${metadata.update_freq})` : metadata.updated,
    rows: metadata.entries,
    ...Object.fromEntries(sizes),
    build: buildId,
  };
}

/** The formats of a version have the same columns; if they do not, each has a table. */
function columnTable(metadata: DatabaseMetadata, columns: number | undefined): string {
  const tables = formatsOf(metadata).map((format) => {
    const rows = (metadata.schema[format] ?? []).map(({ name, type, description }) => [name, type, description]);
    return {
      format,
      text: table(["COLUMN", "TYPE", "DESCRIPTION"], rows, "It does not tell its columns.", { columns }),
    };
  });
  const isSame = tables.every(({ text }) => text === tables[0]?.text);
  if (isSame) return `\n${tables[0]?.text ?? ""}`;
  return tables.map(({ format, text }) => `\n${format}:\n${text}`).join("");
}
