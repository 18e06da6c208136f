/**
 * Writes src/wire.ts: the contract's schemas as plain TypeScript, so that what customers install needs no package for
 * its types. Run it after a change of the contract: `npm run types -w client`. A test tells when that was forgotten.
 */
import { writeFile } from "node:fs/promises";
import {
  ApiKey,
  ApiKeyList,
  ChangedKey,
  CreatedKey,
  CreateKeyRequest,
  UpdateKeyRequest,
} from "@dbdepot/contract/apikeys";
import { Database, DatabaseList, DatabaseVersion } from "@dbdepot/contract/catalogue";
import { Checksums, DatabaseChecksums } from "@dbdepot/contract/checksums";
import { Download, DownloadList } from "@dbdepot/contract/downloads";
import { Format } from "@dbdepot/contract/formats";
import { Column, DatabaseMetadata } from "@dbdepot/contract/metadata";

/** As much of JSON Schema as the contract uses. */
interface Schema {
  title?: string;
  description?: string;
  type?: string;
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  patternProperties?: Record<string, Schema>;
  required?: string[] | undefined;
}

const PUBLISHED = [
  Format,
  DatabaseVersion,
  Database,
  DatabaseList,
  Column,
  DatabaseMetadata,
  Checksums,
  DatabaseChecksums,
  Download,
  DownloadList,
  CreateKeyRequest,
  CreatedKey,
  ApiKey,
  ApiKeyList,
  ChangedKey,
  UpdateKeyRequest,
] as unknown[] as Schema[];
const NAMED = new Set(PUBLISHED.map(({ title }) => title));
const PRIMITIVES: Record<string, string> = {
  string: "string",
  integer: "number",
  number: "number",
  boolean: "boolean",
  null: "null",
};

export function wireTypes(): string {
  const head = "// Written by types.ts from the contract's schemas: change those, not this.\n";
  return [head, ...PUBLISHED.map(declaration)].join("\n");
}

function declaration(schema: Schema): string {
  const comment = schema.description ? `/** ${schema.description} */\n` : "";
  return schema.properties
    ? `${comment}export interface ${schema.title} ${members(schema, "")}\n`
    : `${comment}export type ${schema.title} = ${typeOf(schema, "")};\n`;
}

function reference(schema: Schema, indent: string): string {
  return schema.title !== undefined && NAMED.has(schema.title) ? schema.title : typeOf(schema, indent);
}

function typeOf(schema: Schema, indent: string): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (schema.anyOf) return schema.anyOf.map((one) => reference(one, indent)).join(" | ");
  if (schema.items) return arrayOf(reference(schema.items, indent));
  if (schema.patternProperties) {
    const [value = {}] = Object.values(schema.patternProperties);
    return `Record<string, ${reference(value, indent)}>`;
  }
  if (schema.properties) return members(schema, indent);
  return PRIMITIVES[schema.type ?? ""] ?? "unknown";
}

function arrayOf(item: string): string {
  return item.includes(" | ") ? `(${item})[]` : `${item}[]`;
}

function members({ properties = {}, required = [] }: Schema, indent: string): string {
  const inner = `${indent}  `;
  const lines = Object.entries(properties).map(([name, schema]) => {
    const comment = schema.description ? `${inner}/** ${schema.description} */\n` : "";
    return `${comment}${inner}${name}${required.includes(name) ? "" : "?"}: ${reference(schema, inner)};`;
  });
  return `{\n${lines.join("\n")}\n${indent}}`;
}

if (import.meta.main) await writeFile(new URL("src/wire.ts", import.meta.url), wireTypes());
