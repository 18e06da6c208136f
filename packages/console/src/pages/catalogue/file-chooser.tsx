import type { ListedVersion } from "@dbdepot/contract/operator/catalogue";
import { Button, FileButton, FileInput, Group, SimpleGrid, Stack, Text } from "@mantine/core";
import { IconFile, IconUpload } from "@tabler/icons-react";
import { useState } from "react";
import { formatBytes } from "../../components/format.ts";
import { type ChosenFiles, exampleName, isOptional, SLOT_NAMES, type Slot, slotsOf } from "./build-files.ts";
import classes from "./file-chooser.module.css";
import { Problems } from "./problems.tsx";

interface FileChooserProps {
  version: ListedVersion;
  problems: string[];
  chosen: ChosenFiles;
  onChoose: (chosen: ChosenFiles) => void;
  /** Assigns files to what they are by their names. */
  onAdd: (files: readonly File[]) => void;
  onStart: (files: ChosenFiles) => Promise<void>;
  onClose: () => void;
}

export function FileChooser(props: FileChooserProps) {
  const { version, problems, chosen, onChoose, onAdd, onStart, onClose } = props;
  const [isStarting, setIsStarting] = useState(false);
  const start = async () => {
    setIsStarting(true);
    await onStart(chosen);
    setIsStarting(false);
  };
  return (
    <Stack gap="lg">
      <div className={classes.drop}>
        <FileButton multiple onChange={onAdd}>
          {(props) => (
            <Button {...props} variant="default" leftSection={<IconUpload size={16} stroke={1.8} />}>
              Choose all files
            </Button>
          )}
        </FileButton>
        <Text size="sm" c="dimmed">
          Or drop them here. They are recognized by their names, as <code>dbdepot-server export</code> writes them.
        </Text>
      </div>
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md">
        {slotsOf(version).map((slot) => (
          <SlotInput
            key={slot}
            slot={slot}
            example={exampleName(version, slot)}
            file={chosen[slot]}
            onChange={(file) => onChoose(withFile(chosen, slot, file))}
          />
        ))}
      </SimpleGrid>
      <Problems texts={problems} />
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button loading={isStarting} onClick={() => void start()}>
          Upload and check
        </Button>
      </Group>
    </Stack>
  );
}

interface SlotInputProps {
  slot: Slot;
  example: string;
  file: File | undefined;
  onChange: (file: File | null) => void;
}

function SlotInput({ slot, example, file, onChange }: SlotInputProps) {
  const hint = isOptional(slot) ? "Optional. Customers can try it without a licence" : "Required";
  return (
    <FileInput
      label={SLOT_NAMES[slot]}
      description={file ? formatBytes(file.size) : hint}
      placeholder={example}
      styles={{ placeholder: { color: "var(--mantine-color-dimmed)" } }}
      leftSection={<IconFile size={16} stroke={1.6} />}
      value={file ?? null}
      onChange={onChange}
      clearable
      clearButtonProps={{ "aria-label": `Remove ${SLOT_NAMES[slot]}` }}
    />
  );
}

function withFile(chosen: ChosenFiles, slot: Slot, file: File | null): ChosenFiles {
  const { [slot]: _, ...others } = chosen;
  return file ? { ...others, [slot]: file } : others;
}
