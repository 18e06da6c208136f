import { FORMATS, type Format } from "@dbdepot/contract/shared/formats";
import type { Column, DatabaseMetadata } from "@dbdepot/contract/v2/metadata";
import type { Build } from "../build.ts";

/** How the columns of a build differ from those of the current one, in one format. */
export interface ColumnChanges {
  added: string[];
  removed: string[];
  retyped: { name: string; type: string; before: string }[];
  /** The common columns in their old and new order, or null if it is the same. */
  reordered: { order: string[]; before: string[] } | null;
}

/** Returns only the formats whose columns changed. Expects builds with valid metadata documents. */
export function changedColumns(next: Build, current: Build): Partial<Record<Format, ColumnChanges>> {
  const [schema, currentSchema] = [schemaOf(next), schemaOf(current)];
  const changes: Partial<Record<Format, ColumnChanges>> = {};
  for (const format of FORMATS) {
    const [columns, currentColumns] = [schema[format], currentSchema[format]];
    const found = columns && currentColumns && compare(columns, currentColumns);
    if (found && hasChanges(found)) changes[format] = found;
  }
  return changes;
}

function compare(next: readonly Column[], current: readonly Column[]): ColumnChanges {
  const types = new Map(next.map(({ name, type }) => [name, type]));
  const currentTypes = new Map(current.map(({ name, type }) => [name, type]));
  const order = namesOf(next.filter(({ name }) => currentTypes.has(name)));
  const before = namesOf(current.filter(({ name }) => types.has(name)));
  return {
    added: namesOf(next.filter(({ name }) => !currentTypes.has(name))),
    removed: namesOf(current.filter(({ name }) => !types.has(name))),
    retyped: [...types].flatMap(([name, type]) => {
      const before = currentTypes.get(name) ?? type;
      return before === type ? [] : [{ name, type, before }];
    }),
    reordered: JSON.stringify(order) === JSON.stringify(before) ? null : { order, before },
  };
}

function hasChanges({ added, removed, retyped, reordered }: ColumnChanges): boolean {
  return added.length + removed.length + retyped.length > 0 || reordered !== null;
}

function namesOf(columns: readonly Column[]): string[] {
  return columns.map(({ name }) => name);
}

function schemaOf({ metadata }: Build): DatabaseMetadata["schema"] {
  return (JSON.parse(metadata.toString("utf8")) as DatabaseMetadata).schema;
}
