import { Badge } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "./status-badge.module.css";

export type Tone = "good" | "warning" | "bad" | "neutral";

/** A word on the state of something. The dot is decoration: the word says it all. */
export function StatusBadge({ tone, children }: { tone: Tone; children: ReactNode }) {
  return (
    <Badge className={classes.badge ?? ""} data-tone={tone} variant="default" radius="xl" leftSection={<i />}>
      {children}
    </Badge>
  );
}
