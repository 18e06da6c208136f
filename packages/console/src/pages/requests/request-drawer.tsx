import type { OperatorRequest } from "@dbdepot/contract/operator/requests";
import { Anchor, Drawer, Group, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { api } from "../../app/api.ts";
import { Loaded } from "../../components/loaded.tsx";
import { Time } from "../../components/time.tsx";
import { REQUESTS_KEY } from "./decisions.ts";
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
    queryFn: () => api.request(id ?? ""),
    enabled: id !== undefined,
  });
  return (
    <Drawer
      opened={id !== undefined}
      onClose={onClose}
      position="right"
      size="md"
      padding="lg"
      title="Access request"
      closeButtonProps={{ "aria-label": "Close" }}
    >
      <Loaded query={request}>{(found) => <Details request={found} actions={actions(found)} />}</Loaded>
    </Drawer>
  );
}

function Details({ request, actions }: { request: OperatorRequest; actions: ReactNode }) {
  const { organization_id, organization_name, base, email, name, message, reply, decided, created } = request;
  const facts: [string, ReactNode][] = [
    ["Database", <code key="base">{base}</code>],
    ["Requested", <Time key="created" value={created} show="full" />],
    [
      "By",
      <Anchor key="by" inherit underline="always" href={`mailto:${email}`}>
        {name ? `${name} (${email})` : email}
      </Anchor>,
    ],
    ["Licence now", <LicenceNow key="licence" request={request} />],
    ["Message", message || "None"],
    ...(decided ? [["Decided", <Time key="decided" value={decided} show="full" />] as [string, ReactNode]] : []),
    ...(reply ? [["Reply", reply] as [string, ReactNode]] : []),
  ];
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
      <Stack component="dl" gap="sm" m={0}>
        {facts.map(([label, value]) => (
          <div key={label}>
            <Text component="dt" size="xs" c="dimmed">
              {label}
            </Text>
            <Text component="dd" m={0} style={{ overflowWrap: "anywhere", whiteSpace: "pre-wrap" }}>
              {value}
            </Text>
          </div>
        ))}
      </Stack>
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
