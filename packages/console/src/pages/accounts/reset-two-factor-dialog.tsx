import type { ConsoleAccount } from "@dbdepot/contract/console/accounts";
import { useMutation } from "@tanstack/react-query";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { showError, showSuccess } from "../../components/notices.ts";
import { accountsApi } from "./api.ts";

export function ResetTwoFactorDialog({ account, onClose }: { account: ConsoleAccount; onClose: () => void }) {
  const name = account.name || account.email;
  const reset = useMutation({
    mutationFn: () => accountsApi.resetTwoFactor(account.id),
    onSuccess: () => {
      showSuccess(`${name} can sign in with the password alone.`);
      onClose();
    },
    onError: showError,
  });
  return (
    <ConfirmDialog
      title={`Reset the second factor of ${name}?`}
      confirmLabel="Reset second factor"
      isPending={reset.isPending}
      onConfirm={() => reset.mutate()}
      onClose={onClose}
    >
      Their passkeys and recovery codes are removed, and they are signed out everywhere. Make sure that it is really
      them who asks.
    </ConfirmDialog>
  );
}
