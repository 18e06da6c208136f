import type { SecondFactorRequest, SessionState } from "@dbdepot/contract/console/sessions";
import { Anchor, Modal, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { continueSession, useAccount } from "../../app/session.ts";
import { SecondFactorForm } from "./second-factor.tsx";
import { SignInForm } from "./sign-in-form.tsx";

/** Asks to sign in again, over a page whose session has ended. Requests that were refused meanwhile are sent again. */
export function SignInAgain() {
  const { email } = useAccount();
  const [secondFactor, setSecondFactor] = useState<SecondFactorRequest>();
  const enter = (session: SessionState) =>
    session.second_factor ? setSecondFactor(session.second_factor) : continueSession(session);
  return (
    <Modal
      opened
      onClose={() => {}}
      title="Your session has ended"
      size="sm"
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
    >
      <Stack gap="md">
        <Text c="dimmed">Sign in again to continue where you are. What you entered is still there.</Text>
        {secondFactor ? (
          <SecondFactorForm request={secondFactor} onSignedIn={enter} />
        ) : (
          <SignInForm email={email} onSignedIn={enter} />
        )}
        <Anchor size="sm" ta="center" href="/console/sign-in">
          Leave this page
        </Anchor>
      </Stack>
    </Modal>
  );
}
