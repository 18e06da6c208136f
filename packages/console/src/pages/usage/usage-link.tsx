import { Button } from "@mantine/core";
import { IconReportAnalytics } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";

/** Leads from the history to its totals. */
export function UsageLink({ organization }: { organization?: string | undefined }) {
  return (
    <Button
      renderRoot={(props) => (
        <Link {...props} to="/usage" search={organization === undefined ? {} : { organization }} />
      )}
      variant="default"
      leftSection={<IconReportAnalytics size={16} stroke={1.6} />}
    >
      Usage
    </Button>
  );
}
