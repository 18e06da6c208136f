import { Alert, Button, Group, Text } from "@mantine/core";
import { IconArchive } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { showError, showSuccess } from "../../components/notices.ts";
import { catalogueApi, catalogueQuery } from "./api.ts";

/** A family by its base, or a version by its id. */
export interface Archivable {
  kind: "family" | "version";
  id: string;
  name: string;
}

function useArchiving({ kind, id, name }: Archivable, onDone: () => void) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async (archived: boolean) => {
      if (kind === "family") await catalogueApi.updateFamily(id, { archived });
      else await catalogueApi.updateVersion(id, { archived });
      return archived;
    },
    onSuccess: async (archived) => {
      await queryClient.invalidateQueries({ queryKey: catalogueQuery.queryKey });
      showSuccess(archived ? `${name} has been archived.` : `${name} is available again.`);
      onDone();
    },
    onError: showError,
  });
}

export function ArchiveDialog({ subject, onClose }: { subject: Archivable; onClose: () => void }) {
  const archiving = useArchiving(subject, onClose);
  return (
    <ConfirmDialog
      title={`Archive ${subject.name}?`}
      confirmLabel={`Archive ${subject.kind}`}
      isPending={archiving.isPending}
      onConfirm={() => archiving.mutate(true)}
      onClose={onClose}
    >
      {subject.kind === "family" ? "The family and all its versions disappear" : "The version disappears"} from every
      customer's list within a second, and downloads get <code>UNKNOWN_DATASET</code>. No build can be published.
      Nothing is deleted: you can unarchive it at any time.
    </ConfirmDialog>
  );
}

export function ArchivedNote({ subject, canChange }: { subject: Archivable; canChange: boolean }) {
  const archiving = useArchiving(subject, () => {});
  return (
    <Alert variant="light" color="gray" icon={<IconArchive />} title={`This ${subject.kind} is archived`}>
      <Group justify="space-between">
        <Text>Customers neither see nor download it, and no build can be published. Nothing was deleted.</Text>
        {canChange && (
          <Button
            variant="default"
            size="xs"
            loading={archiving.isPending}
            onClick={() => archiving.mutate(false)}
          >{`Unarchive ${subject.kind}`}</Button>
        )}
      </Group>
    </Alert>
  );
}
