import type { ApiKey } from "@dbdepot/contract/iam/keys";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { showError, showSuccess } from "../../components/notices.ts";
import type { Keyring } from "./keyring.ts";
import { keysQuery } from "./keyring.ts";

interface EndOverlapDialogProps {
  keyring: Keyring;
  apiKey: ApiKey;
  onClose: () => void;
}

export function EndOverlapDialog({ keyring, apiKey, onClose }: EndOverlapDialogProps) {
  const queryClient = useQueryClient();
  const end = useMutation({
    mutationFn: () => keyring.endOverlap(apiKey.id),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: keysQuery.queryKey });
      showSuccess(`The old secret of ${apiKey.name} no longer works.`);
      onClose();
    },
    onError: showError,
  });
  return (
    <ConfirmDialog
      title={`End the old secret of ${apiKey.name}?`}
      confirmLabel="End it now"
      isPending={end.isPending}
      onConfirm={() => end.mutate()}
      onClose={onClose}
    >
      Programs that still use the secret from before the rotation are refused within a second. The new secret keeps
      working.
    </ConfirmDialog>
  );
}
