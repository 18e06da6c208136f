import { Drawer, Stack, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { formatBytes } from "../../components/format.ts";
import { StatusBadge } from "../../components/status-badge.tsx";
import { Time } from "../../components/time.tsx";
import { WhyLink } from "../why/why-link.tsx";
import { type Attempt, keyOf } from "./attempt-table.tsx";
import { explain } from "./outcomes.ts";

interface AttemptDrawerProps {
  attempt: Attempt | undefined;
  /** Its organization's name, for operators. */
  organization: ReactNode;
  onClose: () => void;
}

/** Everything known about one attempt, and what to do if it was refused. */
export function AttemptDrawer({ attempt, organization, onClose }: AttemptDrawerProps) {
  return (
    <Drawer
      opened={attempt !== undefined}
      onClose={onClose}
      position="right"
      size="md"
      padding="lg"
      title="Download attempt"
      closeButtonProps={{ "aria-label": "Close" }}
    >
      {attempt && <Details attempt={attempt} organization={organization} />}
    </Drawer>
  );
}

function Details({ attempt, organization }: Pick<AttemptDrawerProps, "organization"> & { attempt: Attempt }) {
  const { label, tone, meaning, advice } = explain(attempt);
  const facts: [string, ReactNode][] = [
    ["Time", <Time key="time" value={attempt.created} show="full" />],
    ...(organization === undefined ? [] : operatorFacts(attempt, organization)),
    ["Format", attempt.format || "None given"],
    ["HTTP status", attempt.http_status],
    ["Size of the file", attempt.bytes === null ? "No file was sent" : formatBytes(attempt.bytes)],
    ["Key", keyOf(attempt)],
    ["Address", attempt.client_ip],
    ["Client", attempt.user_agent ?? "Not given"],
  ];
  return (
    <Stack gap="lg">
      <Stack gap="xs" align="flex-start">
        <Title order={2}>{attempt.dataset_id || "No id"}</Title>
        <StatusBadge tone={tone}>{label}</StatusBadge>
        <WhyLink attempt={attempt} />
      </Stack>
      {/* The advice is addressed to customers. */}
      {organization === undefined && (
        <Stack gap="xs">
          <Text>{meaning}</Text>
          <Text c="dimmed">{advice}</Text>
        </Stack>
      )}
      <Stack component="dl" gap="sm" m={0}>
        {facts.map(([name, value]) => (
          <div key={name}>
            <Text component="dt" size="xs" c="dimmed">
              {name}
            </Text>
            <Text component="dd" m={0} style={{ overflowWrap: "anywhere" }}>
              {value}
            </Text>
          </div>
        ))}
      </Stack>
    </Stack>
  );
}

function operatorFacts({ api, cause, build_id }: Attempt, organization: ReactNode): [string, ReactNode][] {
  return [
    ["Organization", organization],
    ...(cause ? [["Cause", <code key="cause">{cause}</code>] as [string, ReactNode]] : []),
    ...(build_id ? [["Build", <code key="build">{build_id}</code>] as [string, ReactNode]] : []),
    ["API", api],
  ];
}
