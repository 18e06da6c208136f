import type { OperatorRequest } from "@dbdepot/contract/operator/requests";
import { Button, Group, Text } from "@mantine/core";
import { IconInbox } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { isManagerRole, useAccount } from "../../app/session.ts";
import { DataTable } from "../../components/data-table.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { FilterBar, SelectFilter } from "../../components/filter-bar.tsx";
import { Page } from "../../components/page.tsx";
import type { Column } from "../../components/table-layout.ts";
import { TwoLines } from "../../components/table-row.tsx";
import { Time } from "../../components/time.tsx";
import { GrantDialog } from "../organizations/grant-dialog.tsx";
import { REQUESTS_KEY, requestsApi } from "./api.ts";
import { DeclineDialog } from "./decline-dialog.tsx";
import { parseRequestFilter } from "./filter.ts";
import { LicenceNow, RequestDrawer } from "./request-drawer.tsx";
import { RequestStateBadge, STATE_OPTIONS } from "./state.tsx";

const route = getRouteApi("/signed-in/requests");

type Decision = { kind: "grant" | "decline"; request: OperatorRequest };

/** The inbox: what customers ask for, pending requests first. */
export function Requests() {
  const canDecide = isManagerRole(useAccount().role);
  const filter = route.useSearch();
  const navigate = route.useNavigate();
  const [decision, setDecision] = useState<Decision>();
  const query = useInfiniteQuery({
    queryKey: [REQUESTS_KEY, filter.state],
    queryFn: ({ pageParam }) => requestsApi.list.load(pageParam),
    initialPageParam: requestsApi.list.url({ state: filter.state }),
    getNextPageParam: ({ next }) => next,
  });
  const open = (request: string | undefined) =>
    void navigate({ search: (all) => parseRequestFilter({ ...all, request }), replace: true });
  const decide = (next: Decision) => {
    open(undefined);
    setDecision(next);
  };
  const buttons = (request: OperatorRequest) =>
    canDecide && request.state === "pending" && <DecisionButtons request={request} onDecide={decide} />;
  return (
    <Page title="Requests" description="Customers who ask for a licence. They see your answer in the console.">
      <FilterBar>
        <SelectFilter
          label="State"
          all="All requests"
          value={filter.state}
          options={STATE_OPTIONS}
          onChange={(state) => void navigate({ search: parseRequestFilter({ state }), replace: true })}
        />
      </FilterBar>
      <DataTable
        label="Access requests"
        query={{ ...query, data: query.data?.pages.flatMap(({ items }) => items) }}
        columns={COLUMNS}
        linkOf={({ id }) => ({ to: "/requests", search: { ...filter, request: id } })}
        actions={buttons}
        actionsWidth={188}
        more={
          query.hasNextPage && {
            label: "Show older ones",
            isLoading: query.isFetchingNextPage,
            onClick: () => void query.fetchNextPage(),
          }
        }
        empty={
          <EmptyState
            icon={IconInbox}
            title={filter.state ? "No request matches" : "No requests yet"}
            text="When a customer asks for a licence in the console, the request appears here."
          />
        }
      />
      <RequestDrawer id={filter.request} actions={buttons} onClose={() => open(undefined)} />
      {decision?.kind === "grant" && (
        <GrantDialog
          organization={{ id: decision.request.organization_id, name: decision.request.organization_name }}
          request={decision.request}
          onClose={() => setDecision(undefined)}
        />
      )}
      {decision?.kind === "decline" && (
        <DeclineDialog request={decision.request} onClose={() => setDecision(undefined)} />
      )}
    </Page>
  );
}

interface DecisionButtonsProps {
  request: OperatorRequest;
  onDecide: (decision: Decision) => void;
}

function DecisionButtons({ request, onDecide }: DecisionButtonsProps) {
  const subject = `${request.base} for ${request.organization_name}`;
  return (
    <Group gap="xs" wrap="nowrap">
      <Button size="xs" onClick={() => onDecide({ kind: "grant", request })} aria-label={`Grant ${subject}`}>
        Grant
      </Button>
      <Button
        size="xs"
        variant="default"
        onClick={() => onDecide({ kind: "decline", request })}
        aria-label={`Decline ${subject}`}
      >
        Decline
      </Button>
    </Group>
  );
}

const COLUMNS: Column<OperatorRequest>[] = [
  {
    heading: "Organization",
    min: 170,
    cell: ({ organization_name, email }) => (
      <TwoLines truncate detail={email}>
        {organization_name}
      </TwoLines>
    ),
  },
  { heading: "Database", min: 120, cell: ({ base }) => <code>{base}</code> },
  { heading: "State", w: 125, cell: (request) => <RequestStateBadge request={request} /> },
  { heading: "Requested", w: 140, priority: 3, cell: ({ created }) => <Time value={created} /> },
  { heading: "Licence now", w: 150, priority: 3, cell: (request) => <LicenceNow request={request} /> },
  {
    heading: "Message",
    isProse: true,
    min: 160,
    priority: 3,
    cell: ({ message, reply }) => (
      <>
        <Text truncate title={message}>
          {message}
        </Text>
        {reply && (
          <Text size="sm" c="dimmed" truncate title={reply}>
            {reply}
          </Text>
        )}
      </>
    ),
  },
];
