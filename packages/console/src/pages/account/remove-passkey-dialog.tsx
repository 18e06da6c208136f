import type { AccountSecurity, OwnPasskey } from "@dbdepot/contract/console/security";
import { Button, Group, Modal, PasswordInput, Stack, Text } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../../app/api.ts";
import { rephrase } from "../../app/api-error.ts";
import { FormError } from "../../components/form-error.tsx";
import { showSuccess } from "../../components/notices.ts";
import { securityQuery } from "./queries.ts";

interface RemovePasskeyDialogProps {
  passkey: OwnPasskey;
  security: AccountSecurity;
  onClose: () => void;
}

/** Removing the last passkey turns the second factor off, so it asks for the password. */
export function RemovePasskeyDialog({ passkey, security, onClose }: RemovePasskeyDialogProps) {
  const isLast = security.passkeys.length === 1;
  const [password, setPassword] = useState("");
  const queryClient = useQueryClient();
  const remove = useMutation({
    mutationFn: () =>
      api
        .removePasskey(passkey.id, isLast && security.has_password ? { password } : {})
        .catch(rephrase("INVALID_CREDENTIALS", "The password is wrong.")),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: securityQuery.queryKey });
      showSuccess("The passkey has been removed.");
      onClose();
    },
  });
  return (
    <Modal opened onClose={onClose} title={`Remove ${passkey.name}?`} closeButtonProps={{ "aria-label": "Close" }}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          remove.mutate();
        }}
      >
        <Stack gap="lg">
          <FormError error={remove.error} />
          <Text>
            {isLast
              ? "It is your last one: you will sign in with your password alone, and your recovery codes stop working."
              : "You can no longer sign in with it."}
          </Text>
          {isLast && security.has_password && (
            <PasswordInput
              label="Your password"
              autoComplete="current-password"
              required
              withAsterisk={false}
              value={password}
              onChange={({ currentTarget }) => setPassword(currentTarget.value)}
              data-autofocus
            />
          )}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" color="red.9" loading={remove.isPending}>
              Remove passkey
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
