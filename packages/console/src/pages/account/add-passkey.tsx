import { Button, Group, Stack, TextInput } from "@mantine/core";
import { IconFingerprint } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { createPasskey } from "../../app/passkeys.ts";
import { FormError } from "../../components/form-error.tsx";
import { accountApi } from "./api.ts";

/** Adds a passkey. The first one comes with recovery codes, which the page must show now, because they are never shown again. */
export function AddPasskey({ onAdded }: { onAdded: (recoveryCodes: string[] | null) => void }) {
  const [name, setName] = useState("");
  const add = useMutation({
    mutationFn: async () => {
      const { token, options } = await accountApi.passkeyOptions();
      return accountApi.addPasskey({ token, name, response: await createPasskey(options) });
    },
    onSuccess: ({ recovery_codes: codes }) => {
      setName("");
      onAdded(codes);
    },
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        add.mutate();
      }}
    >
      <Stack>
        <FormError error={add.error} />
        <Group gap="xs" align="flex-end">
          <TextInput
            label="Name of the passkey"
            placeholder="Laptop, phone or security key"
            required
            withAsterisk={false}
            maxLength={100}
            value={name}
            onChange={({ currentTarget }) => setName(currentTarget.value)}
            style={{ flex: "1 1 220px", maxWidth: 400 }}
          />
          <Button type="submit" leftSection={<IconFingerprint size={16} stroke={1.8} />} loading={add.isPending}>
            Add passkey
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
