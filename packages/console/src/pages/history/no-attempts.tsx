import { Button } from "@mantine/core";
import { IconHistory } from "@tabler/icons-react";
import { EmptyState } from "../../components/empty-state.tsx";

/** Shown if the period has no attempts, or none that match the filter. */
export function NoAttempts({ isFiltered, onClear }: { isFiltered: boolean; onClear: () => void }) {
  if (!isFiltered) {
    return (
      <EmptyState
        icon={IconHistory}
        title="No attempts in the last 30 days"
        text="As soon as a key requests a download, it appears here with its result."
      />
    );
  }
  return (
    <EmptyState
      icon={IconHistory}
      title="No attempt matches"
      text="Choose a longer period, or remove a filter."
      action={
        <Button variant="default" onClick={onClear}>
          Clear the filters
        </Button>
      }
    />
  );
}
