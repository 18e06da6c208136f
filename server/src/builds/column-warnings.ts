import { FORMATS } from "@dbdepot/contract/formats";
import type { Column, DatabaseMetadata } from "@dbdepot/contract/metadata";
import type { Build } from "./build.ts";

const MAX_CHANGES = 20;

/**
 * A version's columns are frozen, because customers' programs rely on their names, order and types. Expects builds with
 * valid metadata documents.
 */
export function columnWarnings(next: Build, current: Build): string[] {
  const [schema, currentSchema] = [schemaOf(next), schemaOf(current)];
  return FORMATS.flatMap((format) => {
    const [columns, currentColumns] = [schema[format], currentSchema[format]];
    const changes = columns && currentColumns ? columnChanges(columns, currentColumns) : [];
    if (changes.length === 0) return [];
    const more = changes.length > MAX_CHANGES ? `, and ${changes.length - MAX_CHANGES} more` : "";
    const shown = changes.slice(0, MAX_CHANGES).join(", ");
    return [`${format} columns differ from the current build: ${shown}${more}. Add a new version for other columns`];
  });
}

function columnChanges(next: readonly Column[], current: readonly Column[]): string[] {
  const types = new Map(next.map(({ name, type }) => [name, type]));
  const currentTypes = new Map(current.map(({ name, type }) => [name, type]));
  const changes = [
    ...current.filter(({ name }) => !types.has(name)).map(({ name }) => `"${name}" is missing`),
    ...next.filter(({ name }) => !currentTypes.has(name)).map(({ name }) => `"${name}" is new`),
  ];
  for (const [name, type] of types) {
    const before = currentTypes.get(name) ?? type;
    if (before !== type) changes.push(`"${name}" is ${type} instead of ${before}`);
  }
  const order = namesOf(next.filter(({ name }) => currentTypes.has(name)));
  const currentOrder = namesOf(current.filter(({ name }) => types.has(name)));
  if (order !== currentOrder) changes.push(`the order is ${order} instead of ${currentOrder}`);
  return changes;
}

function namesOf(columns: readonly Column[]): string {
  return JSON.stringify(columns.map(({ name }) => name));
}

function schemaOf({ metadata }: Build): DatabaseMetadata["schema"] {
  return (JSON.parse(metadata.toString("utf8")) as DatabaseMetadata).schema;
}
