import type { AccountSecurity, OwnPasskey } from "@dbdepot/contract/console/security";
import { Button, Group, Stack, Text } from "@mantine/core";
import { IconFingerprint } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { plural } from "../../components/format.ts";
import { showSuccess } from "../../components/notices.ts";
import { Time } from "../../components/time.tsx";
import { AddPasskey } from "./add-passkey.tsx";
import { accountApi, securityQuery } from "./api.ts";
import { ConfirmDialog } from "./confirm-dialog.tsx";
import { RecoveryCodesDialog } from "./recovery-codes-dialog.tsx";
import { RemovePasskeyDialog } from "./remove-passkey-dialog.tsx";

/** The passkeys and recovery codes of the person. */
export function TwoFactor({ security }: { security: AccountSecurity }) {
  const { passkeys, recovery_codes: codesLeft } = security;
  const queryClient = useQueryClient();
  const [codes, setCodes] = useState<string[]>();
  const [removed, setRemoved] = useState<OwnPasskey>();
  const refresh = () => queryClient.invalidateQueries({ queryKey: securityQuery.queryKey });
  const [isRenewing, setIsRenewing] = useState(false);
  return (
    <Stack gap="lg">
      {passkeys.length > 0 && (
        <>
          <Stack component="ul" gap="md" m={0} p={0} style={{ listStyle: "none" }}>
            {passkeys.map((passkey) => (
              <li key={passkey.id}>
                <PasskeyLine
                  passkey={passkey}
                  hasPassword={security.has_password}
                  onRemove={() => setRemoved(passkey)}
                />
              </li>
            ))}
          </Stack>
          <Group justify="space-between">
            <Text>{plural(codesLeft, "recovery code")} left</Text>
            <Button variant="default" size="xs" onClick={() => setIsRenewing(true)}>
              New recovery codes
            </Button>
          </Group>
        </>
      )}
      <AddPasskey
        security={security}
        onAdded={(newCodes) => {
          if (newCodes) setCodes(newCodes);
          showSuccess("The passkey has been added.");
          void refresh();
          // The first passkey ends all other sessions.
          void queryClient.invalidateQueries({ queryKey: ["sessions"] });
        }}
      />
      {isRenewing && (
        <ConfirmDialog
          title="New recovery codes?"
          submitLabel="Get new codes"
          security={security}
          change={accountApi.renewRecoveryCodes}
          onDone={({ recovery_codes }) => {
            setIsRenewing(false);
            setCodes(recovery_codes);
            void refresh();
          }}
          onClose={() => setIsRenewing(false)}
        >
          <Text>The codes that you have stop working.</Text>
        </ConfirmDialog>
      )}
      {codes && <RecoveryCodesDialog codes={codes} onClose={() => setCodes(undefined)} />}
      {removed && <RemovePasskeyDialog passkey={removed} security={security} onClose={() => setRemoved(undefined)} />}
    </Stack>
  );
}

interface PasskeyLineProps {
  passkey: OwnPasskey;
  hasPassword: boolean;
  onRemove: () => void;
}

function PasskeyLine({ passkey, hasPassword, onRemove }: PasskeyLineProps) {
  const { name, last_used: lastUsed, signs_in_alone: signsInAlone } = passkey;
  return (
    <Group justify="space-between" wrap="nowrap">
      <Group gap="sm" wrap="nowrap" style={{ minWidth: 0 }}>
        <IconFingerprint size={20} stroke={1.5} style={{ flexShrink: 0 }} />
        <div style={{ minWidth: 0 }}>
          <Text fw={500} truncate title={name}>
            {name}
          </Text>
          <Text size="sm" c="dimmed">
            {lastUsed ? (
              <>
                Last used <Time value={lastUsed} />
              </>
            ) : (
              "Not used yet"
            )}
            {hasPassword && (signsInAlone ? ", signs in without a password" : ", only after the password")}
          </Text>
        </div>
      </Group>
      <Button variant="default" size="xs" aria-label={`Remove ${name}`} style={{ flexShrink: 0 }} onClick={onRemove}>
        Remove
      </Button>
    </Group>
  );
}
