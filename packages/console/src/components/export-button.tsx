import { Button } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";

/** Downloads a list as CSV, with its filters and all its pages. */
export function ExportButton({ url }: { url: string }) {
  return (
    <Button component="a" href={url} variant="default" leftSection={<IconDownload size={16} stroke={1.6} />}>
      Export CSV
    </Button>
  );
}
