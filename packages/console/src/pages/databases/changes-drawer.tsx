import type { DatabaseChanges } from "@dbdepot/contract/v2/changes";
import { Button, Drawer, Stack, Text } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { formatDate } from "../../components/format.ts";
import { Loaded } from "../../components/loaded.tsx";
import { RowChanges } from "./row-changes.tsx";

interface ChangesDrawerProps {
  title: string;
  /** Identifies the comparison. */
  buildId: string;
  load: () => Promise<DatabaseChanges>;
  /** Returns the address of all rows; undefined for operators. */
  rowsUrl?: ((changes: DatabaseChanges) => string) | undefined;
  onClose: () => void;
}

/** Shows what a build changed, compared with the one that it replaced. */
export function ChangesDrawer({ title, buildId, load, rowsUrl, onClose }: ChangesDrawerProps) {
  const query = useQuery({ queryKey: ["changes", buildId], queryFn: load });
  return (
    <Drawer opened onClose={onClose} size="xl" title={title}>
      <Loaded query={query}>
        {(data) => (
          <Stack gap="md">
            {data.from && <Text c="dimmed">Compared with the build of {formatDate(data.from.updated)}</Text>}
            {data.changes ? <RowChanges changes={data.changes} /> : <Text>Not compared: {data.reason}.</Text>}
            {data.changes && rowsUrl && (
              <Button
                component="a"
                href={rowsUrl(data)}
                variant="default"
                leftSection={<IconDownload size={16} stroke={1.8} />}
                style={{ alignSelf: "flex-start" }}
              >
                Download the changed rows
              </Button>
            )}
          </Stack>
        )}
      </Loaded>
    </Drawer>
  );
}
