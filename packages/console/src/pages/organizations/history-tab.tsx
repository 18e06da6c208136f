import type { OperatorOrganization } from "@dbdepot/contract/operator/organizations";
import { Group, Stack } from "@mantine/core";
import { getRouteApi } from "@tanstack/react-router";
import { AttemptHistory, HistoryActions } from "../history/attempt-history.tsx";
import { parseHistoryFilter } from "../history/filter.ts";

const route = getRouteApi("/signed-in/organizations/$id");

/** The history of one organization, like the page of all of them. */
export function HistoryTab({ organization: { id } }: { organization: OperatorOrganization }) {
  const { tab, ...search } = route.useSearch();
  const navigate = route.useNavigate();
  const filter = parseHistoryFilter({ ...search });
  return (
    <Stack gap="lg">
      <Group justify="flex-end">
        <HistoryActions filter={{ ...filter, organization: id }} />
      </Group>
      <AttemptHistory
        filter={filter}
        onFilter={(next) => void navigate({ search: { ...(tab && { tab }), ...next }, replace: true })}
        organizationId={id}
      />
    </Stack>
  );
}
