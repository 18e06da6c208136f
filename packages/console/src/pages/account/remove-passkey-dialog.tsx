import type { AccountSecurity, OwnPasskey } from "@dbdepot/contract/console/security";
import { Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { showSuccess } from "../../components/notices.ts";
import { accountApi, securityQuery } from "./api.ts";
import { ConfirmDialog } from "./confirm-dialog.tsx";

interface RemovePasskeyDialogProps {
  passkey: OwnPasskey;
  security: AccountSecurity;
  onClose: () => void;
}

/** Removing the last passkey turns the second factor off. */
export function RemovePasskeyDialog({ passkey, security, onClose }: RemovePasskeyDialogProps) {
  const queryClient = useQueryClient();
  return (
    <ConfirmDialog
      title={`Remove ${passkey.name}?`}
      submitLabel="Remove passkey"
      isDangerous
      security={security}
      change={(proof) => accountApi.removePasskey(passkey.id, proof)}
      onDone={async () => {
        await queryClient.invalidateQueries({ queryKey: securityQuery.queryKey });
        showSuccess("The passkey has been removed.");
        onClose();
      }}
      onClose={onClose}
    >
      <Text>
        {security.passkeys.length === 1
          ? "It is your last one: you will sign in with your password alone, and your recovery codes stop working."
          : "You can no longer sign in with it."}
      </Text>
    </ConfirmDialog>
  );
}
