import { Text } from "@mantine/core";
import type { ReactNode } from "react";

interface TwoLinesProps {
  children: ReactNode;
  /** The smaller line below. */
  detail: ReactNode;
  /** Cuts both lines off where they do not fit, and shows strings in full as tooltips. */
  truncate?: boolean;
}

/** The name of something, with a detail below it. */
export function TwoLines({ children, detail, truncate = false }: TwoLinesProps) {
  return (
    <>
      <Text fw={500} truncate={truncate} {...titleOf(truncate && children)}>
        {children}
      </Text>
      {detail && (
        <Text size="sm" c="dimmed" truncate={truncate} {...titleOf(truncate && detail)}>
          {detail}
        </Text>
      )}
    </>
  );
}

function titleOf(text: ReactNode): { title?: string } {
  return typeof text === "string" ? { title: text } : {};
}
