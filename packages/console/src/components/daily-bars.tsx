import "@mantine/charts/styles.layer.css";
import type { UsageDay } from "@dbdepot/contract/console/history";
import { BarChart } from "@mantine/charts";
import { formatCount, formatShortDate } from "./format.ts";

const SERIES = [
  { name: "ok", label: "Granted", color: "accent.5" },
  { name: "refused", label: "Refused", color: "orange.6" },
];

/** This file is separate because the chart library is large and only loaded when a chart is shown. */
export function DailyBars({ days, height }: { days: readonly UsageDay[]; height: number }) {
  return (
    <BarChart
      h={height}
      data={[...days]}
      dataKey="date"
      type="stacked"
      series={SERIES}
      valueFormatter={formatCount}
      tickLine="none"
      maxBarWidth={32}
      xAxisProps={{ tickFormatter: formatShortDate, minTickGap: 32, interval: "equidistantPreserveStart" }}
      yAxisProps={{ allowDecimals: false, width: 48 }}
      tooltipProps={{ labelFormatter: (date) => formatShortDate(String(date)) }}
      barChartProps={{ accessibilityLayer: false, margin: { top: 8 } }}
      barProps={{ isAnimationActive: false }}
    />
  );
}
