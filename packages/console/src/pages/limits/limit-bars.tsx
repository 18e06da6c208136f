import type { LimitList, LimitName, LimitUse } from "@dbdepot/contract/v2/limits";
import { Group, Progress, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { get } from "../../app/api.ts";
import { formatBytes, formatCount } from "../../components/format.ts";
import { Section } from "../../components/section.tsx";
import { Time } from "../../components/time.tsx";

export const LIMIT_LABELS: Record<LimitName, string> = {
  requests_per_minute: "Requests per minute",
  downloads_per_day: "Downloads per day",
  bytes_per_month: "Transfer per month",
  parallel_streams: "Parallel streams",
};

/** From this share on, the organization is warned. */
const NEAR = 0.8;
const REFRESH_MS = 30_000;

/** The limits of the person's organization. Shows nothing if it has none. */
export function OwnLimits() {
  const { data } = useQuery({
    queryKey: ["limits"],
    queryFn: () => get<LimitList>("/api/v2/database/limits"),
    refetchInterval: REFRESH_MS,
  });
  if (!data || data.limits.length === 0) return null;
  return (
    <Section title="Limits" description="What your organization may use. Ask your vendor to change them.">
      <LimitBars limits={data.limits} />
    </Section>
  );
}

/** Each limit with a bar that shows how much of it is used. */
export function LimitBars({ limits }: { limits: readonly LimitUse[] }) {
  return (
    <Stack gap="md" component="ul" m={0} p={0} style={{ listStyle: "none" }} aria-label="Limits">
      {limits.map((use) => (
        <li key={use.limit}>
          <LimitBar use={use} />
        </li>
      ))}
    </Stack>
  );
}

function LimitBar({ use: { limit, allowed, used, resets } }: { use: LimitUse }) {
  const label = LIMIT_LABELS[limit];
  const amount = (value: number) => (limit === "bytes_per_month" ? formatBytes(value) : formatCount(value));
  const share = (used ?? 0) / allowed;
  return (
    <Stack gap={6}>
      <Group justify="space-between" gap="xs">
        <Text fw={600}>{label}</Text>
        <Text className="tabular">
          {used === null ? `At most ${amount(allowed)}` : `${amount(used)} of ${amount(allowed)}`}
        </Text>
      </Group>
      {used !== null && (
        <Progress
          value={Math.min(100, share * 100)}
          color={share >= 1 ? "red.6" : share >= NEAR ? "orange.6" : "accent.5"}
          aria-label={`${label} used`}
        />
      )}
      {resets && (
        <Text size="sm" c="dimmed">
          Starts again <Time value={resets} show="full" />
        </Text>
      )}
    </Stack>
  );
}
