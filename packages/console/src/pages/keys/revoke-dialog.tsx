import type { ApiKey } from "@dbdepot/contract/iam/keys";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { showError, showSuccess } from "../../components/notices.ts";
import { Time } from "../../components/time.tsx";
import type { Keyring } from "./keyring.ts";
import { keysQuery } from "./keyring.ts";

interface RevokeDialogProps {
  keyring: Keyring;
  apiKey: ApiKey;
  onClose: () => void;
}

export function RevokeDialog({ keyring, apiKey, onClose }: RevokeDialogProps) {
  const queryClient = useQueryClient();
  const revoke = useMutation({
    mutationFn: () => keyring.revoke(apiKey.id),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: keysQuery.queryKey });
      showSuccess(`${apiKey.name} has been revoked.`);
      onClose();
    },
    onError: showError,
  });
  return (
    <ConfirmDialog
      title={`Revoke ${apiKey.name}?`}
      confirmLabel="Revoke key"
      isPending={revoke.isPending}
      onConfirm={() => revoke.mutate()}
      onClose={onClose}
    >
      Everything that uses this key stops working within a second. This can't be undone.{" "}
      {apiKey.last_used ? (
        <>
          It was last used <Time value={apiKey.last_used} />.
        </>
      ) : (
        "It was never used."
      )}
    </ConfirmDialog>
  );
}
