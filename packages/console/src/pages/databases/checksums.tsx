import type { Format } from "@dbdepot/contract/shared/formats";
import type { DatabaseVersion } from "@dbdepot/contract/v2/catalogue";
import { Group, Paper, Stack, Table, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { api } from "../../app/api.ts";
import { CopyButton } from "../../components/copy-button.tsx";
import { Loaded } from "../../components/loaded.tsx";
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
  const checksums = useQuery({ queryKey: ["checksums", id, format], queryFn: () => api.checksums(id, format) });
  return (
    <Stack gap="xs">
      <Title order={2}>{fileNameOf(id, format)}</Title>
      <Loaded query={checksums} rows={4}>
        {({ checksums }) => (
          <Paper>
            <Table layout="fixed">
              <Table.Tbody>
                {Object.entries(checksums)
                  .toReversed()
                  .map(([name, digest]) => (
                    <Table.Tr key={name}>
                      <Table.Th scope="row" w={96}>
                        {name.toUpperCase().replace(/^SHA/, "SHA-")}
                      </Table.Th>
                      <Table.Td>
                        <Group gap="xs" wrap="nowrap" justify="space-between">
                          <code style={{ overflowWrap: "anywhere" }}>{digest}</code>
                          <CopyButton value={digest} label={`Copy the ${name} digest`} />
                        </Group>
                      </Table.Td>
                    </Table.Tr>
                  ))}
              </Table.Tbody>
            </Table>
          </Paper>
        )}
      </Loaded>
    </Stack>
  );
}
