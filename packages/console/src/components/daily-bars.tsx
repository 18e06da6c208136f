import type { UsageDay } from "@dbdepot/contract/console/history";
import classes from "./daily-bars.module.css";
import { formatCount, formatShortDate } from "./format.ts";

const MOST_LABELS = 6;
const MOST_LINES = 4;

/** One bar per day, with what was refused on top of what was granted. */
export function DailyBars({ days, height }: { days: readonly UsageDay[]; height: number }) {
  const largest = Math.max(1, ...days.map(({ ok, refused }) => ok + refused));
  const step = stepOf(largest / MOST_LINES);
  const top = Math.ceil(largest / step) * step;
  const lines = Array.from({ length: top / step + 1 }, (_, index) => index * step);
  const daysPerLabel = Math.ceil(days.length / MOST_LABELS);
  return (
    <div className={classes.chart} style={{ height }}>
      {lines.map((value) => (
        <div key={value} className={classes.line} style={{ bottom: `${(100 * value) / top}%` }}>
          <span>{formatCount(value)}</span>
        </div>
      ))}
      {days.map(({ date, ok, refused }, index) => (
        <div
          key={date}
          className={classes.day}
          title={`${formatShortDate(date)}: ${formatCount(ok)} granted, ${formatCount(refused)} refused`}
        >
          <i className={classes.refused} style={{ height: `${(100 * refused) / top}%` }} />
          <i className={classes.granted} style={{ height: `${(100 * ok) / top}%` }} />
          {index % daysPerLabel === 0 && <span>{formatShortDate(date)}</span>}
        </div>
      ))}
    </div>
  );
}

/** The next larger number of 1, 2, 5, 10, 20, 50 and so on. */
function stepOf(least: number): number {
  const power = 10 ** Math.max(0, Math.floor(Math.log10(least)));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= least) ?? 10 * power;
}
