import { Text } from "@mantine/core";

const UNITS: [Intl.RelativeTimeFormatUnit, number][] = [
  ["year", 365 * 86_400],
  ["month", 30 * 86_400],
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
];
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

interface TimeProps {
  value: string;
  /** `relative`: 3 hours ago. `date`: 17 Nov 2026. `full`: date and time. */
  show?: "relative" | "date" | "full";
}

/** A moment in the viewer's time zone, with UTC in the tooltip. */
export function Time({ value, show = "relative" }: TimeProps) {
  const moment = new Date(value);
  const text =
    show === "relative"
      ? relativeTime(moment)
      : show === "date"
        ? moment.toLocaleDateString(undefined, { dateStyle: "medium" })
        : moment.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "medium" });
  return (
    <time dateTime={value} title={`${moment.toLocaleString()} (${moment.toISOString().replace(/\.\d+/, "")})`}>
      {text}
    </time>
  );
}

/** When something last happened, if ever. */
export function LastTime({ value }: { value: string | null }) {
  return value ? <Time value={value} /> : <Text c="dimmed">Never</Text>;
}

function relativeTime(moment: Date): string {
  const seconds = (moment.getTime() - Date.now()) / 1000;
  for (const [unit, length] of UNITS) {
    if (Math.abs(seconds) >= length) return relative.format(Math.trunc(seconds / length), unit);
  }
  return "just now";
}
