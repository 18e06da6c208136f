import type { AccountSecurity, Confirmation } from "@dbdepot/contract/console/security";
import { Anchor, PasswordInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { rephrase } from "../../app/api-error.ts";
import { applyPasskey } from "../../app/passkeys.ts";
import { FormDialog } from "../../components/form-dialog.tsx";
import { accountApi } from "./api.ts";

interface ConfirmDialogProps<T> {
  title: string;
  submitLabel: string;
  isDangerous?: boolean;
  security: Pick<AccountSecurity, "has_password" | "passkeys">;
  /** Changes how the person signs in, with the proof that it is them. */
  change: (proof: Confirmation) => Promise<T>;
  onDone: (result: T) => void;
  onClose: () => void;
  children?: ReactNode;
}

/** Asks for the password or a passkey again. People who have neither only confirm. */
export function ConfirmDialog<T>({ security, change, onDone, onClose, children, ...dialog }: ConfirmDialogProps<T>) {
  const { has_password: hasPassword, passkeys } = security;
  const form = useForm({
    initialValues: { password: "" },
    validate: { password: (value) => (hasPassword && value === "" ? "Enter your password" : null) },
  });
  const confirm = useMutation({
    mutationFn: async (proof: Confirmation | "passkey") => {
      if (proof !== "passkey") return change(proof).catch(rephrase("INVALID_CREDENTIALS", "The password is wrong."));
      const { token, options } = await accountApi.confirmationOptions();
      const passkey = { token, response: await applyPasskey(options) };
      return change({ passkey }).catch(rephrase("INVALID_CREDENTIALS", "The passkey was not accepted. Try again."));
    },
    onSuccess: onDone,
  });
  return (
    <FormDialog
      {...dialog}
      mutation={confirm}
      onSubmit={form.onSubmit(({ password }) => confirm.mutate(hasPassword ? { password } : {}))}
      onClose={onClose}
    >
      {children}
      {hasPassword && (
        <PasswordInput
          label="Your password"
          autoComplete="current-password"
          data-autofocus
          {...form.getInputProps("password")}
        />
      )}
      {passkeys.length > 0 && (
        <Anchor component="button" type="button" size="sm" ta="start" onClick={() => confirm.mutate("passkey")}>
          Use a passkey instead
        </Anchor>
      )}
    </FormDialog>
  );
}
