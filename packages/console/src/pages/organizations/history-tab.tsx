import type { OperatorOrganization } from "@dbdepot/contract/operator/organizations";
import { Group, Stack } from "@mantine/core";
import { getRouteApi } from "@tanstack/react-router";
import { ExportButton } from "../../components/export-button.tsx";
import { AttemptHistory, historyBounds, useAttemptSource } from "../history/attempt-history.tsx";
import { parseHistoryFilter } from "../history/filter.ts";
import { UsageLink } from "../usage/usage-link.tsx";

const route = getRouteApi("/signed-in/organizations/$id");

/** The history of one organization, like the page of all of them. */
export function HistoryTab({ organization: { id } }: { organization: OperatorOrganization }) {
  const { tab, ...search } = route.useSearch();
  const navigate = route.useNavigate();
  const source = useAttemptSource();
  const filter = parseHistoryFilter({ ...search });
  const url = source.url({ ...filter, organization: id }, { ...historyBounds(filter), format: "csv" });
  return (
    <Stack gap="lg">
      <Group justify="flex-end">
        <UsageLink organization={id} />
        <ExportButton url={url} />
      </Group>
      <AttemptHistory
        filter={filter}
        onFilter={(next) => void navigate({ search: { ...(tab && { tab }), ...next }, replace: true })}
        organizationId={id}
      />
    </Stack>
  );
}
