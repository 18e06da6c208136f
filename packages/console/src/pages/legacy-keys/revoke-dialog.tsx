import type { OperatorLegacyKey } from "@dbdepot/contract/operator/legacy-keys";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { showError, showSuccess } from "../../components/notices.ts";
import { Time } from "../../components/time.tsx";
import { LEGACY_KEYS_KEY, legacyKeysApi } from "./api.ts";

interface RevokeLegacyKeyDialogProps {
  legacyKey: OperatorLegacyKey;
  onClose: () => void;
}

export function RevokeLegacyKeyDialog({ legacyKey, onClose }: RevokeLegacyKeyDialogProps) {
  const queryClient = useQueryClient();
  const revoke = useMutation({
    mutationFn: () => legacyKeysApi.revoke(legacyKey.id),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: LEGACY_KEYS_KEY });
      showSuccess(`${legacyKey.name} has been revoked.`);
      onClose();
    },
    onError: showError,
  });
  return (
    <ConfirmDialog
      title={`Revoke ${legacyKey.name}?`}
      confirmLabel="Revoke key"
      isPending={revoke.isPending}
      onConfirm={() => revoke.mutate()}
      onClose={onClose}
    >
      Programs that use it stop working immediately, and this can't be undone.{" "}
      {legacyKey.last_used ? (
        <>
          It was last used <Time value={legacyKey.last_used} />.
        </>
      ) : (
        "It was never used."
      )}
    </ConfirmDialog>
  );
}
