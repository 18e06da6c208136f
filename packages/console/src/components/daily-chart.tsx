import type { UsageDay } from "@dbdepot/contract/console/history";
import { Paper, Stack, Text, VisuallyHidden } from "@mantine/core";
import { memo } from "react";
import { DailyBars } from "./daily-bars.tsx";
import classes from "./daily-chart.module.css";
import { formatBytes, formatCount, formatDate } from "./format.ts";

interface DailyChartProps {
  days: readonly UsageDay[];
  height?: number;
}

/**
 * Granted and refused attempts by day, with their totals. Screen readers get a table instead of the bars. Memoized,
 * because drawing a year of bars takes long enough to be noticed while a list below it scrolls.
 */
export const DailyChart = memo(function DailyChart({ days, height = 180 }: DailyChartProps) {
  const total = { ok: 0, refused: 0, bytes: 0 };
  for (const { ok, refused, bytes } of days) {
    total.ok += ok;
    total.refused += refused;
    total.bytes += bytes;
  }
  return (
    <Paper component="section" p="lg" aria-label="Attempts by day">
      <Stack gap="md">
        <dl className={classes.totals}>
          <Total name="Granted" value={formatCount(total.ok)} color="var(--mantine-color-accent-5)" />
          <Total name="Refused" value={formatCount(total.refused)} color="var(--mantine-color-orange-6)" />
          <Total name="Size of granted files" value={formatBytes(total.bytes)} />
        </dl>
        <div aria-hidden="true">
          <DailyBars days={days} height={height} />
          <Text size="xs" c="dimmed" mt={4}>
            Days are in UTC.
          </Text>
        </div>
        <VisuallyHidden>
          <DayTable days={days} />
        </VisuallyHidden>
      </Stack>
    </Paper>
  );
});

function Total({ name, value, color }: { name: string; value: string; color?: string }) {
  return (
    <div>
      <dt>
        {color && <i style={{ background: color }} />}
        {name}
      </dt>
      <dd>{value}</dd>
    </div>
  );
}

/** Lists only days with attempts, because a year of zeros is noise. */
function DayTable({ days }: { days: readonly UsageDay[] }) {
  const busy = days.filter(({ ok, refused }) => ok + refused > 0);
  return (
    <table>
      <caption>Attempts by day (UTC). Days without attempts are not listed.</caption>
      <thead>
        <tr>
          <th scope="col">Day</th>
          <th scope="col">Granted</th>
          <th scope="col">Refused</th>
          <th scope="col">Size</th>
        </tr>
      </thead>
      <tbody>
        {busy.map(({ date, ok, refused, bytes }) => (
          <tr key={date}>
            <th scope="row">{formatDate(date)}</th>
            <td>{formatCount(ok)}</td>
            <td>{formatCount(refused)}</td>
            <td>{formatBytes(bytes)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
