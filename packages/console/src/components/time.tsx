import { Text } from "@mantine/core";
import { formatDate } from "./format.ts";
import { relativeTime } from "./relative-time.ts";

interface TimeProps {
  value: string;
  /** `relative`: 3 hours ago. `date`: 17 Nov 2026. `full`: date and time. */
  show?: "relative" | "date" | "full";
}

/** The width of a column with full times, which then stay in one line. */
export const FULL_TIME_WIDTH = 240;

/** A moment in the viewer's time zone, with UTC in the tooltip. */
export function Time({ value, show = "relative" }: TimeProps) {
  const moment = new Date(value);
  const text =
    show === "relative"
      ? relativeTime(moment, new Date())
      : show === "date"
        ? moment.toLocaleDateString(undefined, { dateStyle: "medium" })
        : moment.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "medium" });
  return (
    <time
      dateTime={value}
      style={show === "relative" ? { whiteSpace: "nowrap" } : undefined}
      title={`${moment.toLocaleString()} (${inUtc(moment)})`}
    >
      {text}
    </time>
  );
}

/**
 * A date of a contract or a build, such as the end of a licence: the UTC date, which is the same for everyone who reads
 * it. The tooltip has the exact time.
 */
export function CalendarDate({ value }: { value: string }) {
  return (
    <time dateTime={value} title={inUtc(new Date(value))}>
      {formatDate(value)}
    </time>
  );
}

/** When something last happened, if ever. */
export function LastTime({ value }: { value: string | null }) {
  return value ? <Time value={value} /> : <Text c="dimmed">Never</Text>;
}

function inUtc(moment: Date): string {
  return moment.toISOString().replace(/\.\d+/, "");
}
