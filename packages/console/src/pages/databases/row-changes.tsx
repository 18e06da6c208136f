import type { RowChanges as Changes } from "@dbdepot/contract/v2/changes";
import { SegmentedControl, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { PlainTable } from "../../components/data-table.tsx";
import { formatCount, plural } from "../../components/format.ts";
import classes from "./row-changes.module.css";

type Kind = keyof Changes["examples"];
type Cells = Record<string, string>;
interface Example {
  before: Cells;
  after: Cells;
}

const NAMES: Record<Kind, string> = { changed: "Changed", added: "Added", removed: "Removed" };
const KINDS = Object.keys(NAMES) as Kind[];

/** How many rows of each kind differ between two builds, in which columns, with examples. */
export function RowChanges({ changes }: { changes: Changes }) {
  const [chosen, setChosen] = useState<Kind>();
  const kinds = KINDS.filter((kind) => changes.examples[kind].length > 0);
  const kind = chosen ?? kinds[0];
  return (
    <Stack gap="sm">
      <Text>{inWords(changes)}</Text>
      {kind && (
        <>
          <SegmentedControl
            aria-label="Examples"
            value={kind}
            onChange={(value) => setChosen(value as Kind)}
            data={kinds.map((value) => ({ value, label: `${NAMES[value]} (${formatCount(changes[value])})` }))}
            style={{ alignSelf: "flex-start" }}
          />
          <Examples changes={changes} kind={kind} />
        </>
      )}
    </Stack>
  );
}

function inWords({ added, removed, changed, unchanged, key, columns, repeated_keys: repeated }: Changes): string {
  if (added + removed + changed === 0) return `All ${plural(unchanged, "row")} are the same.`;
  const inColumns = columns.filter((column) => column.changed > 0);
  return [
    `${plural(added, "row")} added, ${formatCount(removed)} removed, ${formatCount(changed)} changed; ${formatCount(unchanged)} stayed the same.`,
    inColumns.length > 0
      ? `Changed: ${inColumns.map(({ name, changed: count }) => `${name} in ${plural(count, "row")}`).join(", ")}.`
      : "",
    key === null
      ? "The rows have no key, so whole rows were compared."
      : `Rows are identified by ${key.join(" and ")}.`,
    repeated > 0 && key
      ? `${plural(repeated, "key")} occur more than once: their rows count as added and removed.`
      : "",
  ]
    .filter(Boolean)
    .join(" ");
}

function Examples({ changes, kind }: { changes: Changes; kind: Kind }) {
  const names = changes.columns.map(({ name }) => name);
  const examples: Example[] =
    kind === "changed" ? changes.examples.changed : changes.examples[kind].map((row) => ({ before: row, after: row }));
  const isCut = examples.length < changes[kind];
  return (
    <Stack gap={4}>
      <PlainTable
        label={`${NAMES[kind]} rows`}
        rows={examples}
        keyOf={(example) => JSON.stringify(example)}
        columns={names.map((name) => ({
          heading: name,
          cell: (example: Example) => <Cell name={name} {...example} />,
        }))}
        scrolls
      />
      {isCut && (
        <Text size="sm" c="dimmed">
          The first {examples.length} of {plural(changes[kind], "row")}.
        </Text>
      )}
    </Stack>
  );
}

function Cell({ name, before, after }: Example & { name: string }) {
  if (before[name] === after[name]) return after[name];
  return (
    <>
      <del className={classes.before}>{before[name] || "empty"}</del>{" "}
      <ins className={classes.after}>{after[name] || "empty"}</ins>
    </>
  );
}
