import type { ConsoleAccount } from "@dbdepot/contract/console/accounts";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { showError, showSuccess } from "../../components/notices.ts";
import { ACCOUNTS_KEY, accountsApi } from "./api.ts";

export function DisableDialog({ account, onClose }: { account: ConsoleAccount; onClose: () => void }) {
  const queryClient = useQueryClient();
  const name = account.name || account.email;
  const disable = useMutation({
    mutationFn: () => accountsApi.update(account.id, { disabled: true }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ACCOUNTS_KEY });
      showSuccess(`${name} can no longer sign in.`);
      onClose();
    },
    onError: showError,
  });
  return (
    <ConfirmDialog
      title={`Disable ${name}?`}
      confirmLabel="Disable account"
      isPending={disable.isPending}
      onConfirm={() => disable.mutate()}
      onClose={onClose}
    >
      They are signed out everywhere and can't sign in again until the account is enabled. API keys keep working.
    </ConfirmDialog>
  );
}
