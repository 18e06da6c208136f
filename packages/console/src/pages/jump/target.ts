import type { LinkProps } from "@tanstack/react-router";

/** Something that Ctrl+K finds. */
export interface JumpTarget {
  /** Unique among all targets. */
  id: string;
  kind: "Action" | "Page" | "Organization" | "API key" | "Database" | "Request";
  title: string;
  detail?: string;
  /** Other words by which it is found. */
  words?: string;
  link?: Pick<LinkProps, "to" | "params" | "search" | "state">;
  /** Instead of a link, for what has no page. */
  run?: () => void;
}
