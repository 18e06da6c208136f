import type { AuditEntry } from "@dbdepot/contract/operator/audit";
import { Drawer, Stack, Table, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { describeActor } from "../../components/actor.ts";
import { Time } from "../../components/time.tsx";
import { changesOf, describeAction } from "./actions.ts";
import classes from "./audit.module.css";

interface EntryDrawerProps {
  entry: AuditEntry | undefined;
  /** The name of what was changed. */
  subject: ReactNode;
  onClose: () => void;
}

/** Shows one change, field by field. */
export function EntryDrawer({ entry, subject, onClose }: EntryDrawerProps) {
  return (
    <Drawer opened={entry !== undefined} onClose={onClose} size="lg" title="Change">
      {entry && <Details entry={entry} subject={subject ?? entry.subject} />}
    </Drawer>
  );
}

function Details({ entry, subject }: { entry: AuditEntry; subject: ReactNode }) {
  const changes = changesOf(entry.before, entry.after);
  return (
    <Stack gap="lg">
      <Stack gap={4}>
        <Title order={2}>{describeAction(entry.action)}</Title>
        <Text c="dimmed">
          {describeActor(entry.actor)}, <Time value={entry.created} show="full" />
        </Text>
        <Text className={classes.value ?? ""}>{subject}</Text>
        <Text c="dimmed" className={classes.value ?? ""}>
          <code>{entry.subject}</code>
        </Text>
      </Stack>
      {changes.length === 0 ? (
        <Text>No field was changed.</Text>
      ) : (
        <Table layout="fixed" horizontalSpacing="xs">
          <Table.Thead>
            <Table.Tr>
              <Table.Th w="30%">Field</Table.Th>
              {entry.before !== null && <Table.Th>Before</Table.Th>}
              <Table.Th>{entry.before === null ? "Value" : "After"}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {changes.map(({ field, before, after }) => (
              <Table.Tr key={field}>
                <Table.Td className={classes.value ?? ""}>{field}</Table.Td>
                {entry.before !== null && <Table.Td className={classes.value ?? ""}>{before || "–"}</Table.Td>}
                <Table.Td className={classes.value ?? ""}>{after || "–"}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Stack>
  );
}
