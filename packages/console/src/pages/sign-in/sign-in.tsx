import type { SecondFactorRequest, SessionState } from "@dbdepot/contract/console/sessions";
import { Alert, Anchor, Button, Group, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation } from "@tanstack/react-query";
import { getRouteApi, Link, useRouter } from "@tanstack/react-router";
import { useState } from "react";
import { startSession } from "../../app/session.ts";
import { FormError } from "../../components/form-error.tsx";
import { signInApi } from "./api.ts";
import { ProviderButton } from "./provider-button.tsx";
import { SecondFactor } from "./second-factor.tsx";
import { SIGN_IN_PROBLEMS } from "./sign-in-problems.ts";
import { Welcome } from "./welcome.tsx";

const route = getRouteApi("/sign-in");

export function SignIn() {
  const { to, problem } = route.useSearch();
  const router = useRouter();
  const form = useForm({ mode: "uncontrolled", initialValues: { email: "", password: "" } });
  const [secondFactor, setSecondFactor] = useState<SecondFactorRequest>();
  const enter = async (session: SessionState) => {
    if (session.second_factor) {
      setSecondFactor(session.second_factor);
      return;
    }
    startSession(session);
    await router.navigate({ href: isOwnPage(to) ? to : "/", replace: true });
  };
  const signIn = useMutation({ mutationFn: signInApi.signIn, onSuccess: enter });
  if (secondFactor) return <SecondFactor request={secondFactor} onSignedIn={(session) => void enter(session)} />;
  return (
    <Welcome title="Sign in">
      <form onSubmit={form.onSubmit((values) => signIn.mutate(values))}>
        <Stack gap="md">
          {problem && !signIn.error && (
            <Alert color="red" variant="light" role="alert">
              {SIGN_IN_PROBLEMS[problem]}
            </Alert>
          )}
          <FormError error={signIn.error} />
          <TextInput
            label="E-mail address"
            type="email"
            autoComplete="username"
            required
            withAsterisk={false}
            size="md"
            autoFocus
            key={form.key("email")}
            {...form.getInputProps("email")}
          />
          <PasswordInput
            label="Password"
            autoComplete="current-password"
            required
            withAsterisk={false}
            size="md"
            key={form.key("password")}
            {...form.getInputProps("password")}
          />
          <Button type="submit" size="md" loading={signIn.isPending}>
            Sign in
          </Button>
          <ProviderButton to={isOwnPage(to) ? to : undefined} />
          <Group justify="center">
            <Anchor size="sm" renderRoot={(props) => <Link to="/forgot-password" {...props} />}>
              Forgot your password?
            </Anchor>
          </Group>
        </Stack>
      </form>
      <Text size="xs" c="dimmed" ta="center">
        No account yet? Ask your vendor or your organization's admin for an invitation.
      </Text>
    </Welcome>
  );
}

/** A link to the sign-in page may not lead to another site. */
function isOwnPage(to: string | undefined): to is string {
  return to?.startsWith("/") === true && !to.startsWith("//") && !to.startsWith("/\\");
}
