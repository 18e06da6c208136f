import type { Format } from "@dbdepot/contract/shared/formats";
import type { DatabaseVersion } from "@dbdepot/contract/v2/catalogue";
import { Paper, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Loaded } from "../../components/loaded.tsx";
import { databasesApi } from "./api.ts";
import { Digests } from "./digests.tsx";
import { fileNameOf } from "./formats.ts";

export function Checksums({ version: { id, formats } }: { version: DatabaseVersion }) {
  return (
    <Stack gap="lg">
      <Text c="dimmed">Digests of the current build. dbdepot sync and the client library compare them for you.</Text>
      {formats.map((format) => (
        <FileChecksums key={format} id={id} format={format} />
      ))}
    </Stack>
  );
}

function FileChecksums({ id, format }: { id: string; format: Format }) {
  const checksums = useQuery({
    queryKey: ["checksums", id, format],
    queryFn: () => databasesApi.checksums(id, format),
  });
  const file = fileNameOf(id, format);
  return (
    <Stack gap="xs">
      <Title order={2}>{file}</Title>
      <Loaded query={checksums} rows={4}>
        {({ checksums }) => (
          <Paper px="md">
            <Digests file={file} checksums={checksums} />
          </Paper>
        )}
      </Loaded>
    </Stack>
  );
}
