import type { SessionState } from "@dbdepot/contract/console/sessions";
import { Button, PasswordInput, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { IconFingerprint } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { supportsPasskeys } from "../../app/passkeys.ts";
import { FormError } from "../../components/form-error.tsx";
import { signInApi } from "./api.ts";
import { usePasskeySignIn } from "./passkey-sign-in.ts";
import { ProviderButton } from "./provider-button.tsx";

interface SignInFormProps {
  /** Set for a person who was signed in on this page. The provider then opens in another tab. */
  email?: string;
  /** The page to show after the provider. */
  to?: string | undefined;
  /** Shown above the fields until an attempt fails. */
  notice?: ReactNode;
  onSignedIn: (session: SessionState) => void;
}

/** E-mail address and password, a passkey, or the provider. */
export function SignInForm({ email, to, notice, onSignedIn }: SignInFormProps) {
  const form = useForm({ mode: "uncontrolled", initialValues: { email: email ?? "", password: "" } });
  const signIn = useMutation({ mutationFn: signInApi.signIn, onSuccess: onSignedIn });
  const passkey = usePasskeySignIn(onSignedIn);
  const error = signIn.error ?? passkey.error;
  const isAgain = email !== undefined;
  return (
    <form
      onSubmit={form.onSubmit((values) => {
        passkey.reset();
        signIn.mutate(values);
      })}
    >
      <Stack gap="md">
        {!error && notice}
        <FormError error={error} />
        <TextInput
          label="E-mail address"
          type="email"
          autoComplete="username webauthn"
          required
          withAsterisk={false}
          size="md"
          autoFocus={!isAgain}
          readOnly={isAgain}
          key={form.key("email")}
          {...form.getInputProps("email")}
        />
        <PasswordInput
          label="Password"
          autoComplete="current-password"
          required
          withAsterisk={false}
          size="md"
          data-autofocus={isAgain || undefined}
          key={form.key("password")}
          {...form.getInputProps("password")}
        />
        <Button type="submit" size="md" loading={signIn.isPending}>
          Sign in
        </Button>
        {supportsPasskeys() && (
          <Button
            variant="default"
            size="md"
            leftSection={<IconFingerprint size={18} stroke={1.8} />}
            loading={passkey.isPending}
            onClick={() => {
              signIn.reset();
              passkey.mutate(undefined);
            }}
          >
            Sign in with a passkey
          </Button>
        )}
        <ProviderButton to={to} isNewTab={isAgain} />
      </Stack>
    </form>
  );
}
