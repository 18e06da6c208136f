import type { AcceptLinkRequest, LinkDetails } from "@dbdepot/contract/console/links";
import type { SecondFactorRequest, SessionState } from "@dbdepot/contract/console/sessions";
import { Anchor, Button, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Link, useLocation, useRouter } from "@tanstack/react-router";
import { useState } from "react";
import { flushSync } from "react-dom";
import { brand } from "../../app/brand.ts";
import { startSession } from "../../app/session.ts";
import { FormError } from "../../components/form-error.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { NewPasswordInput, passwordProblem } from "../../components/new-password-input.tsx";
import { signInApi } from "./api.ts";
import { ProviderButton } from "./provider-button.tsx";
import { SecondFactor } from "./second-factor.tsx";
import { Welcome } from "./welcome.tsx";

/** One-time links end here: invitations, password resets and the demo's sign-in links. */
export function AcceptLink() {
  const { hash } = useLocation();
  const token = new URLSearchParams(hash).get("token") ?? "";
  // It no longer exists then, and starting the session would load it again.
  const [isUsed, setUsed] = useState(false);
  const details = useQuery({
    queryKey: ["link", token],
    queryFn: () => signInApi.inspectLink(token),
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    enabled: !isUsed,
  });
  const router = useRouter();
  const [secondFactor, setSecondFactor] = useState<SecondFactorRequest>();
  const enter = async (session: SessionState) => {
    if (session.second_factor) {
      setSecondFactor(session.second_factor);
      return;
    }
    flushSync(() => setUsed(true));
    startSession(session);
    await router.navigate({ to: "/", replace: true });
  };
  if (secondFactor) return <SecondFactor request={secondFactor} onSignedIn={(session) => void enter(session)} />;
  if (details.error) {
    return (
      <Welcome title="This link doesn't work">
        <Text>{details.error.message}</Text>
        <Anchor size="sm" renderRoot={(props) => <Link to="/sign-in" {...props} />}>
          Go to sign-in
        </Anchor>
      </Welcome>
    );
  }
  const { title, description } = headingOf(details.data);
  return (
    <Welcome title={title} description={description}>
      <Loaded query={details} rows={3}>
        {(link) => <AcceptForm link={link} token={token} onAccepted={enter} />}
      </Loaded>
    </Welcome>
  );
}

interface AcceptFormProps {
  link: LinkDetails;
  token: string;
  onAccepted: (session: SessionState) => Promise<void>;
}

function AcceptForm({ link, token, onAccepted }: AcceptFormProps) {
  const accept = useMutation({
    mutationFn: (body: AcceptLinkRequest) => signInApi.acceptLink(body),
    onSuccess: onAccepted,
  });
  const form = useForm({
    mode: "uncontrolled",
    initialValues: { name: link.name, password: "" },
    validate: { password: (value) => (link.purpose === "sign_in" ? null : passwordProblem(value)) },
  });
  const isInvitation = link.purpose === "invitation";
  const submit = form.onSubmit(({ name, password }) => {
    if (link.purpose === "sign_in") accept.mutate({ token });
    else accept.mutate({ token, password, ...(isInvitation && { name }) });
  });
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <FormError error={accept.error} />
        {link.purpose !== "sign_in" && (
          <>
            <TextInput label="E-mail address" value={link.email} readOnly autoComplete="username" size="md" />
            {isInvitation && (
              <TextInput
                label="Your name"
                autoComplete="name"
                maxLength={100}
                size="md"
                key={form.key("name")}
                {...form.getInputProps("name")}
              />
            )}
            <NewPasswordInput
              label="Password"
              size="md"
              key={form.key("password")}
              {...form.getInputProps("password")}
            />
          </>
        )}
        <Button type="submit" size="md" loading={accept.isPending}>
          {isInvitation ? "Create your account" : link.purpose === "reset" ? "Set the password" : "Sign in"}
        </Button>
        {isInvitation && <ProviderButton />}
      </Stack>
    </form>
  );
}

function headingOf(link: LinkDetails | undefined): { title: string; description: string } {
  if (!link) return { title: "One moment", description: "Checking your link." };
  if (link.purpose === "reset") return { title: "Choose a new password", description: "Other sessions will end." };
  if (link.purpose === "sign_in") return { title: "Welcome", description: `Sign in as ${link.email}.` };
  return {
    title: `Welcome to ${brand.name}`,
    description: `You have been invited${link.organization ? ` to ${link.organization.name}` : ""}. Choose a password to finish.`,
  };
}
