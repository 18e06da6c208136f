import type { AccountSecurity, OwnPasskey } from "@dbdepot/contract/console/security";
import { PasswordInput, Text } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { rephrase } from "../../app/api-error.ts";
import { FormDialog } from "../../components/form-dialog.tsx";
import { showSuccess } from "../../components/notices.ts";
import { accountApi, securityQuery } from "./api.ts";

interface RemovePasskeyDialogProps {
  passkey: OwnPasskey;
  security: AccountSecurity;
  onClose: () => void;
}

/** Removing the last passkey turns the second factor off, so it asks for the password. */
export function RemovePasskeyDialog({ passkey, security, onClose }: RemovePasskeyDialogProps) {
  const isLast = security.passkeys.length === 1;
  const needsPassword = isLast && security.has_password;
  const form = useForm({
    initialValues: { password: "" },
    validate: { password: (value) => (needsPassword && value === "" ? "Enter your password" : null) },
  });
  const queryClient = useQueryClient();
  const remove = useMutation({
    mutationFn: (password: string) =>
      accountApi
        .removePasskey(passkey.id, needsPassword ? { password } : {})
        .catch(rephrase("INVALID_CREDENTIALS", "The password is wrong.")),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: securityQuery.queryKey });
      showSuccess("The passkey has been removed.");
      onClose();
    },
  });
  return (
    <FormDialog
      title={`Remove ${passkey.name}?`}
      submitLabel="Remove passkey"
      isDangerous
      mutation={remove}
      onSubmit={form.onSubmit(({ password }) => remove.mutate(password))}
      onClose={onClose}
    >
      <Text>
        {isLast
          ? "It is your last one: you will sign in with your password alone, and your recovery codes stop working."
          : "You can no longer sign in with it."}
      </Text>
      {needsPassword && (
        <PasswordInput
          label="Your password"
          autoComplete="current-password"
          data-autofocus
          {...form.getInputProps("password")}
        />
      )}
    </FormDialog>
  );
}
