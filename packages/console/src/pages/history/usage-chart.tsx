import { useQuery } from "@tanstack/react-query";
import { DailyChart } from "../../components/daily-chart.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { boundsOf } from "../../components/period.ts";
import { attemptsByDay } from "./attempt-source.ts";
import type { HistoryFilter } from "./filter.ts";

const REFRESH_MS = 30_000;

/** The attempts of the period by day, filtered like the list. */
export function UsageChart({ filter }: { filter: HistoryFilter }) {
  const { organization, database, key, outcome } = filter;
  const matching = { ...boundsOf(filter), organization, database, key, outcome };
  const usage = useQuery({
    queryKey: ["usage", matching],
    queryFn: () => attemptsByDay(matching),
    refetchInterval: REFRESH_MS,
  });
  return (
    <Loaded query={usage} rows={4}>
      {({ days }) => <DailyChart days={days} />}
    </Loaded>
  );
}
