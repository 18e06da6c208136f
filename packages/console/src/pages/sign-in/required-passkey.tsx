import { Anchor, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { useState } from "react";
import { queryClient, sessionApi } from "../../app/session.ts";
import { AddPasskey } from "../account/add-passkey.tsx";
import { RecoveryCodesDialog } from "../account/recovery-codes-dialog.tsx";
import { Welcome } from "./welcome.tsx";

/** Only passwords need a second factor, so people who see this page have one. */
const SECURITY = { has_password: true, passkeys: [] };

/** The only page for people who need a second factor and have none yet. */
export function RequiredPasskey() {
  const router = useRouter();
  const [codes, setCodes] = useState<string[]>();
  const leave = async () => {
    queryClient.clear();
    await router.navigate({ to: "/", replace: true });
  };
  const signOut = useMutation({ mutationFn: sessionApi.signOut, onSuccess: leave });
  return (
    <Welcome
      title="Add a passkey"
      description="Your account needs a second factor in addition to the password. A passkey is a fingerprint, a face, a PIN or a security key that your device checks."
    >
      <AddPasskey security={SECURITY} onAdded={(newCodes) => (newCodes ? setCodes(newCodes) : void leave())} />
      <Text size="sm" ta="center">
        <Anchor inherit component="button" type="button" onClick={() => signOut.mutate()}>
          Sign out
        </Anchor>
      </Text>
      {codes && <RecoveryCodesDialog codes={codes} onClose={() => void leave()} />}
    </Welcome>
  );
}
