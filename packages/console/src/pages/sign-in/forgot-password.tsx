import { Anchor, Button, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useSession } from "../../app/session.ts";
import { FormError } from "../../components/form-error.tsx";
import { signInApi } from "./api.ts";
import { Welcome } from "./welcome.tsx";

export function ForgotPassword() {
  const form = useForm({ mode: "uncontrolled", initialValues: { email: "" } });
  const { mail } = useSession().sign_in;
  const request = useMutation({ mutationFn: signInApi.requestReset });
  return (
    <Welcome title="Reset your password" {...(mail && { description: "We'll send you a link to choose a new one." })}>
      {!mail ? (
        <Text>This service sends no e-mail. Ask your vendor or your organization's admin for a link.</Text>
      ) : request.isSuccess ? (
        <Text role="status">
          If there is an account for this address, a link is on its way. If no mail arrives, ask your vendor or your
          organization's admin for a link.
        </Text>
      ) : (
        <form onSubmit={form.onSubmit(({ email }) => request.mutate(email))}>
          <Stack gap="md">
            <FormError error={request.error} />
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
            <Button type="submit" size="md" loading={request.isPending}>
              Send the link
            </Button>
          </Stack>
        </form>
      )}
      <Anchor size="sm" ta="center" renderRoot={(props) => <Link to="/sign-in" {...props} />}>
        Back to sign-in
      </Anchor>
    </Welcome>
  );
}
