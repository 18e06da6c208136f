import type { ListedVersion } from "@dbdepot/contract/operator/catalogue";
import { Group, Text } from "@mantine/core";
import { formatBytes, plural } from "../../components/format.ts";
import { StatusBadge } from "../../components/status-badge.tsx";
import { Time } from "../../components/time.tsx";
import { FamilyRow } from "../databases/family-list.tsx";
import { formatList, sizeOf } from "../databases/formats.ts";
import { AccessBadge, ArchivedBadge } from "./access.tsx";
import type { CatalogueEntry } from "./api.ts";
import classes from "./catalogue.module.css";

/** A family with a line for each of its versions. */
export function EntryRow({ entry: { family, versions } }: { entry: CatalogueEntry }) {
  const { base, name, archived } = family;
  return (
    <FamilyRow
      to="/catalogue/$base"
      base={base}
      name={name}
      badges={
        <>
          <AccessBadge family={family} />
          {archived && <ArchivedBadge />}
        </>
      }
      description={
        <Text size="sm" c="dimmed">
          <code>{base}</code>
        </Text>
      }
    >
      <div className={classes.versions}>
        {versions.length === 0 && (
          <Text size="sm" c="dimmed">
            No version yet
          </Text>
        )}
        {versions.map((version) => (
          <VersionLine key={version.id} version={version} />
        ))}
      </div>
    </FamilyRow>
  );
}

function VersionLine({ version }: { version: ListedVersion }) {
  const { formats, current_build: build, overdue, planned, archived } = version;
  return (
    <div className={classes.version}>
      <Text size="sm">
        <Text span inherit fw={500}>
          v{version.version}
        </Text>{" "}
        <Text span inherit c="dimmed">
          {formatList(formats)}
        </Text>
      </Text>
      <Group gap="xs">
        <Text size="sm" {...(!build && { c: "dimmed" })}>
          {build?.published ? <Time value={build.published} /> : planned ? "Planned" : "No build"}
        </Text>
        {overdue && <StatusBadge tone="bad">Overdue</StatusBadge>}
        {archived && <ArchivedBadge />}
      </Group>
      <Text size="sm" c="dimmed" className="tabular">
        {build && `${plural(build.entries, "row")} · ${formatBytes(sizeOf(build))}`}
      </Text>
    </div>
  );
}
