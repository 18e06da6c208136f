import type { ListedVersion } from "@dbdepot/contract/operator/catalogue";
import { Alert, Button, Group, Progress, SegmentedControl, Stack, Text } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { IconPlugConnectedX } from "@tabler/icons-react";
import { type DragEvent, useState } from "react";
import { Dialog } from "../../components/dialog.tsx";
import { formatBytes } from "../../components/format.ts";
import { showSuccess } from "../../components/notices.ts";
import { assign, type ChosenFiles, plainCsv, slotsOf } from "./build-files.ts";
import { BuildReview } from "./build-review.tsx";
import { CsvChooser } from "./csv-chooser.tsx";
import { FileChooser } from "./file-chooser.tsx";
import { type Publication, type Step, usePublication } from "./publication.ts";

type Source = "files" | "csv";

export function PublishDialog({ version, onClose }: { version: ListedVersion; onClose: () => void }) {
  const publication = usePublication(version);
  const isPhone = useMediaQuery("(max-width: 48em)");
  const [source, setSource] = useState<Source>("files");
  const [files, setFiles] = useState<ChosenFiles>({});
  const [csv, setCsv] = useState<File | null>(null);
  const [ignored, setIgnored] = useState<string[]>([]);
  const { step } = publication;
  const add = (added: readonly File[]) => {
    const plain = plainCsv(added) ?? (source === "csv" ? added[0] : undefined);
    if (plain) {
      setCsv(plain);
      setSource("csv");
      return;
    }
    const found = assign(added, slotsOf(version));
    setFiles({ ...files, ...found.chosen });
    setIgnored(found.ignored);
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    add([...event.dataTransfer.files]);
  };
  const close = () => {
    void publication.cancel();
    onClose();
  };
  const publish = async (force: boolean) => {
    const published = await publication.publish(force);
    if (!published) return;
    showSuccess(
      published.unchanged
        ? "Nothing was published: the current build has the same files."
        : `${version.id} now serves the new build.`,
    );
    onClose();
  };
  return (
    <Dialog
      onClose={close}
      title={`Publish a build of ${version.id}`}
      size={760}
      fullScreen={isPhone ?? false}
      closeOnClickOutside={false}
      hasFurtherInput={step.name !== "choose" || csv !== null || Object.keys(files).length > 0}
    >
      {step.name === "choose" && (
        <Stack gap="lg" onDrop={drop} onDragOver={(event) => event.preventDefault()}>
          <SegmentedControl
            aria-label="What to publish"
            value={source}
            onChange={(value) => setSource(value as Source)}
            data={[
              { value: "files", label: "Files of a build" },
              { value: "csv", label: "A plain CSV" },
            ]}
          />
          {source === "files" ? (
            <FileChooser
              version={version}
              problems={[
                ...step.problems,
                ...ignored.map((name) => `${name} is not a file of this version, so it was ignored.`),
              ]}
              chosen={files}
              onChoose={setFiles}
              onAdd={add}
              onStart={publication.start}
              onClose={close}
            />
          ) : (
            <CsvChooser
              problems={step.problems}
              csv={csv}
              onChoose={setCsv}
              onStart={publication.startCsv}
              onClose={close}
            />
          )}
        </Stack>
      )}
      {step.name === "export" && <Export step={step} onCancel={() => void publication.cancel()} />}
      {step.name === "upload" && <Upload step={step} publication={publication} />}
      {step.name === "review" && <BuildReview version={version} step={step} onPublish={publish} onDiscard={close} />}
    </Dialog>
  );
}

function Export({ step, onCancel }: { step: Step & { name: "export" }; onCancel: () => void }) {
  const { label, doneBytes, totalBytes } = step;
  const isMeasured = totalBytes > 0;
  return (
    <Stack gap="lg">
      <Stack gap="xs">
        <Group justify="space-between">
          <Text fw={500} role="status">
            {label}
          </Text>
          {isMeasured && (
            <Text c="dimmed" className="tabular">
              {formatBytes(doneBytes)} of {formatBytes(totalBytes)}
            </Text>
          )}
        </Group>
        <Progress
          aria-label="Export progress"
          value={isMeasured ? (doneBytes / totalBytes) * 100 : 100}
          animated={!isMeasured}
          size="lg"
        />
        <Text size="sm" c="dimmed">
          The server creates the files of the build. Customers don't see it until you publish.
        </Text>
      </Stack>
      <Group justify="flex-end">
        <Button variant="default" onClick={onCancel}>
          Cancel
        </Button>
      </Group>
    </Stack>
  );
}

function Upload({ step, publication }: { step: Step & { name: "upload" }; publication: Publication }) {
  const { sentBytes, totalBytes, error } = step;
  const isSent = sentBytes >= totalBytes;
  return (
    <Stack gap="lg">
      <Stack gap="xs">
        <Group justify="space-between">
          <Text fw={500} role="status">
            {error ? "The upload has stopped" : isSent ? "Checking the files" : "Uploading"}
          </Text>
          <Text c="dimmed" className="tabular">
            {formatBytes(sentBytes)} of {formatBytes(totalBytes)}
          </Text>
        </Group>
        <Progress
          aria-label="Upload progress"
          value={totalBytes === 0 ? 100 : (sentBytes / totalBytes) * 100}
          animated={isSent && !error}
          size="lg"
        />
        <Text size="sm" c="dimmed">
          Customers don't see it until you publish. The files are checked while they arrive.
        </Text>
      </Stack>
      {error && (
        <Alert color="red" variant="light" icon={<IconPlugConnectedX />} role="alert">
          {error.message} The bytes that arrived are kept: resume the upload, or cancel it to delete everything.
        </Alert>
      )}
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={() => void publication.cancel()}>
          Cancel upload
        </Button>
        {error && <Button onClick={() => void publication.resume()}>Resume</Button>}
      </Group>
    </Stack>
  );
}
