import type { AuditEntry } from "@dbdepot/contract/operator/audit";
import { Anchor, Drawer, Stack, Table, Text, Title } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { describeActor } from "../../components/actor.ts";
import { Time } from "../../components/time.tsx";
import { OrganizationName } from "../organizations/organization-name.tsx";
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
              <Table.Th w={130}>Field</Table.Th>
              {entry.before !== null && <Table.Th>Before</Table.Th>}
              <Table.Th>{entry.before === null ? "Value" : "After"}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {changes.map(({ name, field, before, after }) => (
              <Table.Tr key={name}>
                <Table.Td>{field}</Table.Td>
                {entry.before !== null && (
                  <Table.Td className={classes.value ?? ""}>
                    <Value name={name} text={before} />
                  </Table.Td>
                )}
                <Table.Td className={classes.value ?? ""}>
                  <Value name={name} text={after} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Stack>
  );
}

/** The value of a field. Ids that have a page are links to it, with the name. */
function Value({ name, text }: { name: string; text: string }) {
  if (text === "") return "–";
  if (/^organization_?id$/i.test(name)) {
    return (
      <Anchor inherit renderRoot={(props) => <Link to="/organizations/$id" params={{ id: text }} {...props} />}>
        <OrganizationName id={text} />
      </Anchor>
    );
  }
  if (/^terms_?id$/i.test(name)) {
    return (
      <Anchor inherit renderRoot={(props) => <Link to="/terms/$id" params={{ id: text }} {...props} />}>
        {text}
      </Anchor>
    );
  }
  return text;
}
