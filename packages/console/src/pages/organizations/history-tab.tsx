import type { OperatorAttempt } from "@dbdepot/contract/operator/history";
import type { OperatorOrganization } from "@dbdepot/contract/operator/organizations";
import { Anchor, Stack, Table, Text, VisuallyHidden } from "@mantine/core";
import { IconHistory } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { api } from "../../app/api.ts";
import { EmptyState } from "../../components/empty-state.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { StatusBadge } from "../../components/status-badge.tsx";
import { TableCard } from "../../components/table-card.tsx";
import { Time } from "../../components/time.tsx";
import { explain } from "../history/outcomes.ts";
import { WhyLink } from "../why/why-link.tsx";

const NEWEST = 100;

/** The newest download attempts. Each refused one leads to its explanation. */
export function HistoryTab({ organization: { id, name } }: { organization: OperatorOrganization }) {
  const attempts = useQuery({
    queryKey: ["organization-history", id],
    queryFn: () => api.newestAttempts(id, NEWEST),
  });
  return (
    <Loaded
      query={attempts}
      isEmpty={(found) => found.attempts.length === 0}
      empty={
        <EmptyState icon={IconHistory} title="No attempts yet" text={`No key of ${name} has requested a download.`} />
      }
    >
      {(found) => (
        <Stack gap="sm">
          <AttemptsTable attempts={found.attempts} />
          <Text size="sm" c="dimmed">
            {found.attempts.length === NEWEST && `These are the newest ${NEWEST} attempts. `}
            <Anchor
              inherit
              renderRoot={(props) => <Link to="/operator-history" search={{ organization: id }} {...props} />}
            >
              Filter and export the history
            </Anchor>
          </Text>
        </Stack>
      )}
    </Loaded>
  );
}

function AttemptsTable({ attempts }: { attempts: OperatorAttempt[] }) {
  return (
    <TableCard label="Download attempts" minWidth={640} stacks>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Time</Table.Th>
          <Table.Th>Database</Table.Th>
          <Table.Th>Result</Table.Th>
          <Table.Th>Address</Table.Th>
          <Table.Th w={72}>
            <VisuallyHidden>Explanation</VisuallyHidden>
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {attempts.map((attempt) => {
          const { id, created, dataset_id, format, client_ip } = attempt;
          const { label, tone } = explain(attempt);
          return (
            <Table.Tr key={id}>
              <Table.Td>
                <Time value={created} show="full" />
              </Table.Td>
              <Table.Td data-label="Database">
                <div>
                  <Text fw={500}>{dataset_id || "No id"}</Text>
                  <Text size="sm" c="dimmed">
                    {format || "No format"}
                  </Text>
                </div>
              </Table.Td>
              <Table.Td data-label="Result">
                <StatusBadge tone={tone}>{label}</StatusBadge>
              </Table.Td>
              <Table.Td data-label="Address">{client_ip}</Table.Td>
              <Table.Td data-actions>
                <WhyLink attempt={attempt} />
              </Table.Td>
            </Table.Tr>
          );
        })}
      </Table.Tbody>
    </TableCard>
  );
}
