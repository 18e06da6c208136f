import type { AccountSecurity, Confirmation } from "@dbdepot/contract/console/security";
import { Button, Group, Text, TextInput } from "@mantine/core";
import { IconFingerprint } from "@tabler/icons-react";
import { useState } from "react";
import { createPasskey } from "../../app/passkeys.ts";
import { accountApi } from "./api.ts";
import { ConfirmDialog } from "./confirm-dialog.tsx";

interface AddPasskeyProps {
  security: Pick<AccountSecurity, "has_password" | "passkeys">;
  onAdded: (recoveryCodes: string[] | null) => void;
}

/** Adds a passkey. The first one comes with recovery codes, which the page must show now, because they are never shown again. */
export function AddPasskey({ security, onAdded }: AddPasskeyProps) {
  const [name, setName] = useState("");
  const [isConfirming, setIsConfirming] = useState(false);
  const add = async (proof: Confirmation) => {
    const { token, options } = await accountApi.passkeyOptions(proof);
    return accountApi.addPasskey({ token, name, response: await createPasskey(options) });
  };
  return (
    <>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          setIsConfirming(true);
        }}
      >
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
          <Button type="submit" leftSection={<IconFingerprint size={16} stroke={1.8} />}>
            Add passkey
          </Button>
        </Group>
      </form>
      {isConfirming && (
        <ConfirmDialog
          title="Confirm that it is you"
          submitLabel="Continue"
          security={security}
          change={add}
          onDone={({ recovery_codes: codes }) => {
            setIsConfirming(false);
            setName("");
            onAdded(codes);
          }}
          onClose={() => setIsConfirming(false)}
        >
          <Text>Then your browser asks for the new passkey.</Text>
        </ConfirmDialog>
      )}
    </>
  );
}
