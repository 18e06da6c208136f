import type { ListedVersion } from "@dbdepot/contract/operator/catalogue";
import { Group, Text } from "@mantine/core";
import { IconChevronRight } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { formatBytes, plural } from "../../components/format.ts";
import { StatusBadge } from "../../components/status-badge.tsx";
import { Time } from "../../components/time.tsx";
import { AccessBadge, ArchivedBadge } from "./access.tsx";
import classes from "./catalogue.module.css";
import { formatList, sizeOf } from "./files.ts";
import type { CatalogueEntry } from "./queries.ts";

export function FamilyRow({ entry: { family, versions } }: { entry: CatalogueEntry }) {
  const { base, name, archived } = family;
  return (
    <li>
      <Link to="/catalogue/$base" params={{ base }} className={classes.row}>
        <div className={classes.family}>
          <Group gap="xs">
            <Text component="h2" m={0} fw={600} fz="md">
              {name}
            </Text>
            <AccessBadge family={family} />
            {archived && <ArchivedBadge />}
          </Group>
          <Text size="sm" c="dimmed">
            <code>{base}</code>
          </Text>
        </div>
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
        <IconChevronRight className={classes.chevron} size={18} stroke={1.6} aria-hidden="true" />
      </Link>
    </li>
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
