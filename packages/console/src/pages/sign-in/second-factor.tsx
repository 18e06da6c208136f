import type { SecondFactorRequest, SessionState } from "@dbdepot/contract/console/sessions";
import { Anchor, Button, Stack, TextInput } from "@mantine/core";
import { IconFingerprint } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { rephrase } from "../../app/api-error.ts";
import { applyPasskey } from "../../app/passkeys.ts";
import { FormError } from "../../components/form-error.tsx";
import { signInApi } from "./api.ts";
import { Welcome } from "./welcome.tsx";

const WRONG =
  "This is wrong or was already used, or it took longer than five minutes. Try again, or reload the page to start over.";

interface SecondFactorProps {
  request: SecondFactorRequest;
  onSignedIn: (session: SessionState) => void;
}

/** The second step of signing in, with a passkey or a recovery code. */
export function SecondFactor(props: SecondFactorProps) {
  const [isCode, setIsCode] = useState(false);
  return (
    <Welcome
      title={isCode ? "Use a recovery code" : "Use your passkey"}
      description={
        isCode
          ? "Enter one of the codes that you stored when you added your first passkey. Each works once."
          : "Your password is right. Confirm that it is you with your device or security key."
      }
    >
      <SecondFactorForm {...props} onMethod={setIsCode} />
    </Welcome>
  );
}

interface SecondFactorFormProps extends SecondFactorProps {
  /** Called when the person chooses a recovery code or the passkey. */
  onMethod?: (isCode: boolean) => void;
}

export function SecondFactorForm({ request: { token, options }, onSignedIn, onMethod }: SecondFactorFormProps) {
  const [isCode, setIsCode] = useState(false);
  const [code, setCode] = useState("");
  const signIn = useMutation({
    mutationFn: async () => {
      const answer = isCode ? { code } : { response: await applyPasskey(options) };
      return signInApi.secondFactor({ token, ...answer }).catch(rephrase("INVALID_CREDENTIALS", WRONG));
    },
    onSuccess: onSignedIn,
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        signIn.mutate();
      }}
    >
      <Stack gap="md">
        <FormError error={signIn.error} />
        {isCode && (
          <TextInput
            label="Recovery code"
            placeholder="xxxx-xxxx-xxxx-xxxx"
            autoComplete="off"
            required
            withAsterisk={false}
            size="md"
            autoFocus
            value={code}
            onChange={({ currentTarget }) => setCode(currentTarget.value)}
          />
        )}
        <Button
          type="submit"
          size="md"
          autoFocus={!isCode}
          leftSection={isCode ? undefined : <IconFingerprint size={18} stroke={1.8} />}
          loading={signIn.isPending}
        >
          {isCode ? "Sign in" : "Use passkey"}
        </Button>
        <Anchor
          component="button"
          type="button"
          size="sm"
          ta="center"
          onClick={() => {
            signIn.reset();
            setIsCode(!isCode);
            onMethod?.(!isCode);
          }}
        >
          {isCode ? "Use a passkey instead" : "Use a recovery code instead"}
        </Anchor>
      </Stack>
    </form>
  );
}
