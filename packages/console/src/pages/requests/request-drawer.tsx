import type { OperatorRequest } from "@dbdepot/contract/operator/requests";
import { Anchor, Drawer, Group, Stack, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { FactList } from "../../components/fact-table.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { Time } from "../../components/time.tsx";
import { REQUESTS_KEY, requestsApi } from "./api.ts";
import { RequestStateBadge, standingOf } from "./state.tsx";

interface RequestDrawerProps {
  /** Undefined if it is closed. */
  id: string | undefined;
  /** The buttons that decide the request. */
  actions: (request: OperatorRequest) => ReactNode;
  onClose: () => void;
}

/** Everything about one request. */
export function RequestDrawer({ id, actions, onClose }: RequestDrawerProps) {
  const request = useQuery({
    queryKey: [REQUESTS_KEY, "one", id],
    queryFn: () => requestsApi.get(id ?? ""),
    enabled: id !== undefined,
  });
  return (
    <Drawer opened={id !== undefined} onClose={onClose} size="md" title="Access request">
      <Loaded query={request}>{(found) => <Details request={found} actions={actions(found)} />}</Loaded>
    </Drawer>
  );
}

function Details({ request, actions }: { request: OperatorRequest; actions: ReactNode }) {
  const { organization_id, organization_name, base, email, name, message, reply, decided, created } = request;
  return (
    <Stack gap="lg">
      <Stack gap="xs" align="flex-start">
        <Title order={2}>
          <Anchor
            inherit
            c="inherit"
            renderRoot={(props) => <Link to="/organizations/$id" params={{ id: organization_id }} {...props} />}
          >
            {organization_name}
          </Anchor>
        </Title>
        <RequestStateBadge request={request} />
      </Stack>
      <FactList
        facts={{
          Database: <code>{base}</code>,
          Requested: <Time value={created} show="full" />,
          By: (
            <Anchor inherit underline="always" href={`mailto:${email}`}>
              {name ? `${name} (${email})` : email}
            </Anchor>
          ),
          "Licence now": <LicenceNow request={request} />,
          Message: message || "None",
          Decided: decided ? <Time value={decided} show="full" /> : undefined,
          Reply: reply || undefined,
        }}
      />
      {actions && <Group gap="xs">{actions}</Group>}
    </Stack>
  );
}

export function LicenceNow({ request }: { request: OperatorRequest }) {
  const { standing, licence_expires } = request;
  return (
    <>
      {standingOf(request)}
      {standing !== "unlicensed" && licence_expires && (
        <>
          {standing === "licensed" ? " until " : " on "}
          <Time value={licence_expires} show="date" />
        </>
      )}
    </>
  );
}
