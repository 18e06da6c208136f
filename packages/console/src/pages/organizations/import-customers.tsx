import type { CustomersImport } from "@dbdepot/contract/operator/customers";
import { Alert, Button, FileInput, Group, Stack, Text } from "@mantine/core";
import { IconCheck, IconDownload, IconEyeOff, IconFile } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { ApiError } from "../../app/api-error.ts";
import { useInputGuard } from "../../components/dialog.tsx";
import { formatBytes, plural } from "../../components/format.ts";
import { BackLink, Page } from "../../components/page.tsx";
import { Problems } from "../catalogue/problems.tsx";
import { organizationsApi } from "./api.ts";
import { ImportPlan } from "./import-plan.tsx";

/** Shows what a file would change before it is imported. */
export function ImportCustomers() {
  const queryClient = useQueryClient();
  const [file, setFile] = useState<File | null>(null);
  const plan = useMutation({ mutationFn: (chosen: File) => organizationsApi.import(chosen, true) });
  const apply = useMutation({
    mutationFn: (chosen: File) => organizationsApi.import(chosen, false),
    // Everything may have changed.
    onSuccess: () => queryClient.invalidateQueries(),
  });
  const choose = (chosen: File | null) => {
    setFile(chosen);
    plan.reset();
    apply.reset();
    if (chosen) plan.mutate(chosen);
  };
  return (
    <Stack gap="sm">
      <BackLink to="/organizations">Organizations</BackLink>
      <Page
        title="Import customers"
        description="Organizations with their licences, people and keys, from another system. You see what would change before anything does."
      >
        {apply.data ? (
          <ImportDone result={apply.data} onAgain={() => choose(null)} />
        ) : (
          <>
            <FileInput
              label="Customer file"
              description={
                file ? formatBytes(file.size) : "CSV or JSON, up to 4 MiB; larger files need the command line"
              }
              placeholder="customers.csv"
              styles={{ placeholder: { color: "var(--mantine-color-dimmed)" } }}
              accept=".csv,.json,text/csv,application/json"
              leftSection={<IconFile size={16} stroke={1.6} />}
              value={file}
              onChange={choose}
              clearable
              clearButtonProps={{ "aria-label": "Remove the file" }}
              maw={480}
            />
            {plan.isPending && <Text c="dimmed">Checking the file…</Text>}
            <Problems texts={problemsOf(plan.error ?? apply.error)} />
            {plan.data && !apply.error && (
              <ImportPlan plan={plan.data} isApplying={apply.isPending} onApply={() => file && apply.mutate(file)} />
            )}
          </>
        )}
      </Page>
    </Stack>
  );
}

function problemsOf(error: Error | null): string[] {
  if (!error) return [];
  return error instanceof ApiError && error.faults.length > 0 ? [...error.faults] : [error.message];
}

function ImportDone({ result, onAgain }: { result: CustomersImport; onAgain: () => void }) {
  const { changes, secrets } = result;
  const [isDownloaded, setDownloaded] = useState(false);
  const { question, leave } = useInputGuard(() => secrets.length > 0 && !isDownloaded, {
    title: "Leave without the secrets?",
    text: "They have not been downloaded and can't be shown again.",
    keep: "Stay here",
    discard: "Leave",
  });
  return (
    <Stack gap="lg" align="flex-start">
      <Alert variant="light" color="green" icon={<IconCheck />} role="status" w="100%">
        <Text c="var(--mantine-color-text)">The file has been imported: {plural(changes.length, "change")}.</Text>
      </Alert>
      {secrets.length > 0 && (
        <Alert variant="light" color="yellow" icon={<IconEyeOff />} w="100%">
          <Text c="var(--mantine-color-text)">
            {plural(secrets.length, "new secret")} can be downloaded only now. We keep only hashes, so they can't be
            shown again.
          </Text>
        </Alert>
      )}
      <Group gap="xs">
        {secrets.length > 0 && (
          <Button
            component="a"
            leftSection={<IconDownload size={16} stroke={1.8} />}
            href={`data:application/json;charset=utf-8,${encodeURIComponent(JSON.stringify(secrets, null, 2))}`}
            download="secrets.json"
            onClick={() => setDownloaded(true)}
          >
            Download the secrets
          </Button>
        )}
        <Button variant="default" onClick={() => leave(onAgain)}>
          Import another file
        </Button>
      </Group>
      {question}
    </Stack>
  );
}
