import { Button, FileInput, Group, Stack, Text, TextInput } from "@mantine/core";
import { IconFile } from "@tabler/icons-react";
import { useState } from "react";
import { formatBytes } from "../../components/format.ts";
import { Problems } from "./problems.tsx";

interface CsvChooserProps {
  problems: string[];
  csv: File | null;
  onChoose: (csv: File | null) => void;
  onStart: (csv: File, updated: string) => Promise<void>;
  onClose: () => void;
}

/** Lets vendors publish without an exporter of their own. */
export function CsvChooser({ problems, csv, onChoose, onStart, onClose }: CsvChooserProps) {
  const [updated, setUpdated] = useState(new Date().toISOString().slice(0, 10));
  const [missing, setMissing] = useState<string[]>([]);
  const start = () => {
    setMissing(csv ? [] : ["Choose a CSV file."]);
    if (csv) void onStart(csv, updated);
  };
  return (
    <Stack gap="lg">
      <Text c="dimmed">
        The server creates the csv.gz, the MMDB and the metadata from it. The first line names the columns.
        Descriptions, schedule and samples are taken from the current build.
      </Text>
      <FileInput
        label="CSV file"
        description={csv ? formatBytes(csv.size) : "Plain or gzipped"}
        placeholder="networks.csv"
        styles={{ placeholder: { color: "var(--mantine-color-dimmed)" } }}
        accept=".csv,.gz,text/csv"
        leftSection={<IconFile size={16} stroke={1.6} />}
        value={csv}
        onChange={onChoose}
        clearable
        clearButtonProps={{ "aria-label": "Remove the CSV file" }}
      />
      <TextInput
        type="date"
        label="Data of"
        description="The day on which the data was generated"
        value={updated}
        onChange={({ currentTarget }) => setUpdated(currentTarget.value)}
        maw={240}
      />
      <Problems texts={missing.length > 0 ? missing : problems} />
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button onClick={start}>Upload and export</Button>
      </Group>
    </Stack>
  );
}
