import type { Build } from "../build.ts";
import { type ColumnChanges, changedColumns } from "./column-changes.ts";

const MAX_CHANGES = 20;

/**
 * A version's columns are frozen, because customers' programs rely on their names, order and types. Expects builds with
 * valid metadata documents.
 */
export function columnWarnings(next: Build, current: Build): string[] {
  return Object.entries(changedColumns(next, current)).map(([format, found]) => {
    const changes = describe(found);
    const more = changes.length > MAX_CHANGES ? `, and ${changes.length - MAX_CHANGES} more` : "";
    const shown = changes.slice(0, MAX_CHANGES).join(", ");
    return `${format} columns differ from the current build: ${shown}${more}. Add a new version for other columns`;
  });
}

function describe({ added, removed, retyped, reordered }: ColumnChanges): string[] {
  return [
    ...removed.map((name) => `"${name}" is missing`),
    ...added.map((name) => `"${name}" is new`),
    ...retyped.map(({ name, type, before }) => `"${name}" is ${type} instead of ${before}`),
    ...(reordered
      ? [`the order is ${JSON.stringify(reordered.order)} instead of ${JSON.stringify(reordered.before)}`]
      : []),
  ];
}
