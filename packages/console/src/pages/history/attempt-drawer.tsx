import { Drawer, Stack, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { FactList } from "../../components/fact-table.tsx";
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
    <Drawer opened={attempt !== undefined} onClose={onClose} size="md" title="Download attempt">
      {attempt && <Details attempt={attempt} organization={organization} />}
    </Drawer>
  );
}

function Details({ attempt, organization }: Pick<AttemptDrawerProps, "organization"> & { attempt: Attempt }) {
  const { label, tone, meaning, advice } = explain(attempt);
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
      <FactList
        facts={{
          Time: <Time value={attempt.created} show="full" />,
          ...(organization !== undefined && operatorFacts(attempt, organization)),
          Format: attempt.format || "None given",
          "HTTP status": attempt.http_status,
          "Size of the file": attempt.bytes === null ? "No file was sent" : formatBytes(attempt.bytes),
          Key: keyOf(attempt),
          Address: attempt.client_ip,
          Client: attempt.user_agent ?? "Not given",
        }}
      />
    </Stack>
  );
}

function operatorFacts({ api, cause, build_id }: Attempt, organization: ReactNode): Record<string, ReactNode> {
  return {
    Organization: organization,
    Cause: cause ? <code>{cause}</code> : undefined,
    Build: build_id ? <code>{build_id}</code> : undefined,
    API: api,
  };
}
