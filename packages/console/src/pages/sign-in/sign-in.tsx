import type { SecondFactorRequest, SessionState } from "@dbdepot/contract/console/sessions";
import { Alert, Anchor, Stack, Text } from "@mantine/core";
import { getRouteApi, Link, useRouter } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { startSession, useSession } from "../../app/session.ts";
import { CodeBlock } from "../../components/code-block.tsx";
import { SecondFactor } from "./second-factor.tsx";
import { SignInForm } from "./sign-in-form.tsx";
import { SIGN_IN_PROBLEMS } from "./sign-in-problems.ts";
import { Welcome } from "./welcome.tsx";

const route = getRouteApi("/sign-in");

export function SignIn() {
  const { to, problem } = route.useSearch();
  const { needs_operator } = useSession();
  const router = useRouter();
  useEffect(() => localStorage.removeItem("dbdepot-shell"), []);
  const [secondFactor, setSecondFactor] = useState<SecondFactorRequest>();
  const enter = async (session: SessionState) => {
    if (session.second_factor) {
      setSecondFactor(session.second_factor);
      return;
    }
    startSession(session);
    await router.navigate({ href: isOwnPage(to) ? to : "/", replace: true });
  };
  if (secondFactor) return <SecondFactor request={secondFactor} onSignedIn={(session) => void enter(session)} />;
  return (
    <Welcome title="Sign in">
      {needs_operator && <FirstOperator />}
      <SignInForm
        to={isOwnPage(to) ? to : undefined}
        notice={problem ? <Problem text={SIGN_IN_PROBLEMS[problem]} /> : to && <SessionNeeded />}
        onSignedIn={(session) => void enter(session)}
      />
      <Anchor size="sm" ta="center" renderRoot={(props) => <Link to="/forgot-password" {...props} />}>
        Forgot your password?
      </Anchor>
      {!needs_operator && (
        <Text size="xs" c="dimmed" ta="center">
          No account yet? Ask your vendor or your organization's admin for an invitation.
        </Text>
      )}
    </Welcome>
  );
}

function Problem({ text }: { text: string }) {
  return (
    <Alert color="red" variant="light" role="alert">
      {text}
    </Alert>
  );
}

/** Shown on a new server, on which only the command line can let the first person in. */
function FirstOperator() {
  return (
    <Stack gap="xs">
      <Text>Nobody can sign in yet. Run this on the server, and open the link that it prints:</Text>
      <CodeBlock code="dbdepot-server accounts invite you@example.com --role operator" label="Copy the command" />
    </Stack>
  );
}

/** Says why someone who opened another page is on this one. */
function SessionNeeded() {
  return (
    <Alert variant="light" color="gray">
      Sign in to open that page. If you were signed in, your session has ended.
    </Alert>
  );
}

/** A link to the sign-in page may not lead to another site. */
function isOwnPage(to: string | undefined): to is string {
  return to?.startsWith("/") === true && !to.startsWith("//") && !to.startsWith("/\\");
}
