import type { BuildCheck } from "@dbdepot/contract/operator/build-check";
import type { ListedVersion } from "@dbdepot/contract/operator/catalogue";
import { Alert, Button, Checkbox, Group, List, Stack } from "@mantine/core";
import { IconAlertTriangle, IconCircleCheck, IconCircleX, IconEqual, IconInfoCircle } from "@tabler/icons-react";
import { useState } from "react";
import { FormError } from "../../components/form-error.tsx";
import { BuildDiff } from "./build-diff.tsx";
import { FileChecks } from "./file-checks.tsx";
import type { Step } from "./publication.ts";

interface BuildReviewProps {
  version: ListedVersion;
  step: Step & { name: "review" };
  onPublish: (force: boolean) => Promise<void>;
  onDiscard: () => void;
}

/** Shows what the checks found and how the build differs from the current one. Nothing has been published yet. */
export function BuildReview({ version, step: { check, error, isPublishing }, onPublish, onDiscard }: BuildReviewProps) {
  const [isForced, setIsForced] = useState(false);
  const { result, warnings } = check;
  const needsForce = result === "suspicious" || result === "unchanged";
  const isPublishable = result === "ready" || (needsForce && isForced);
  return (
    <Stack gap="lg">
      <FormError error={error ?? null} />
      <Verdict check={check} />
      {check.notes.length > 0 && (
        <Alert color="gray" variant="light" icon={<IconInfoCircle />} title="Before you publish">
          <Points texts={check.notes} />
        </Alert>
      )}
      <FileChecks version={version} check={check} />
      <BuildDiff check={check} />
      {needsForce && (
        <Checkbox
          label={
            result === "unchanged"
              ? "Publish it anyway, for example because the metadata document has changed"
              : `I have checked ${warnings.length === 1 ? "this" : "these"}. Publish it anyway`
          }
          checked={isForced}
          onChange={({ currentTarget }) => setIsForced(currentTarget.checked)}
        />
      )}
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onDiscard} disabled={isPublishing}>
          Discard
        </Button>
        {result !== "faulty" && result !== "overtaken" && (
          <Button loading={isPublishing} disabled={!isPublishable} onClick={() => void onPublish(isForced)}>
            Publish
          </Button>
        )}
      </Group>
    </Stack>
  );
}

function Verdict({ check: { result, faults, warnings, current_build: current } }: { check: BuildCheck }) {
  switch (result) {
    case "ready":
      return (
        <Alert color="green" variant="light" icon={<IconCircleCheck />} title="All checks passed">
          {current
            ? "When you publish, customers get this build within a second. The current one is kept, so you can go back."
            : "When you publish, customers can download the first build of this version."}
        </Alert>
      );
    case "unchanged":
      return (
        <Alert color="gray" variant="light" icon={<IconEqual />} title="The files are the same as in the current build">
          Publishing them would only make customers download the same bytes again.
        </Alert>
      );
    case "suspicious":
      return (
        <Alert color="yellow" variant="light" icon={<IconAlertTriangle />} title="This looks like a mistake">
          <Points texts={warnings} />
        </Alert>
      );
    case "overtaken":
      return (
        <Alert color="red" variant="light" icon={<IconCircleX />} title="Another build was published in the meantime">
          This one was prepared to replace an older build. Discard it, look at the current build, and publish again.
        </Alert>
      );
    case "faulty":
      return (
        <Alert color="red" variant="light" icon={<IconCircleX />} title="This build can't be published" role="alert">
          <Points texts={[...faults, ...warnings]} />
          Nothing has changed for customers. Correct the files and upload them again.
        </Alert>
      );
  }
}

function Points({ texts }: { texts: string[] }) {
  return (
    <List spacing={4} mb={4}>
      {texts.map((text) => (
        <List.Item key={text}>{text}</List.Item>
      ))}
    </List>
  );
}
