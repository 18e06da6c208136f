import { useMutation, useQueryClient } from "@tanstack/react-query";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import type { TimelineLicence } from "../../components/licence-timeline.tsx";
import { showError, showSuccess } from "../../components/notices.ts";
import { licencesApi } from "../licences/api.ts";

export function EndLicenceDialog({ licence, onClose }: { licence: TimelineLicence; onClose: () => void }) {
  const queryClient = useQueryClient();
  const end = useMutation({
    mutationFn: () => licencesApi.end(licence.id),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ["licences"] });
      showSuccess(`The licence for ${licence.name} has ended.`);
      onClose();
    },
    onError: showError,
  });
  return (
    <ConfirmDialog
      title={`End the licence for ${licence.name}?`}
      confirmLabel="End licence"
      isPending={end.isPending}
      onConfirm={() => end.mutate()}
      onClose={onClose}
    >
      {licence.state === "upcoming"
        ? "It will never begin. To change your mind, grant a new one."
        : "Downloads are refused within a second. Files that the customer already has are not affected. You can renew the licence later."}
    </ConfirmDialog>
  );
}
