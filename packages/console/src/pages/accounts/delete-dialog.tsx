import type { ConsoleAccount } from "@dbdepot/contract/console/accounts";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { showError, showSuccess } from "../../components/notices.ts";
import { ACCOUNTS_KEY, accountsApi } from "./api.ts";

export function DeleteDialog({ account, onClose }: { account: ConsoleAccount; onClose: () => void }) {
  const queryClient = useQueryClient();
  const { id, email } = account;
  const remove = useMutation({
    mutationFn: () => accountsApi.remove(id),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ACCOUNTS_KEY });
      showSuccess(`The account of ${email} has been deleted.`);
      onClose();
    },
    onError: showError,
  });
  return (
    <ConfirmDialog
      title={`Delete the account of ${email}?`}
      confirmLabel="Delete account"
      isPending={remove.isPending}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      They are signed out everywhere, and the address can be invited again. API keys keep working, and the audit log
      keeps what they did.
    </ConfirmDialog>
  );
}
