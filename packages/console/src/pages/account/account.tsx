import type { AccountSecurity } from "@dbdepot/contract/console/security";
import { Button, Group, SimpleGrid, Stack, Text } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useAccount, useSession } from "../../app/session.ts";
import { ColorSchemeControl } from "../../components/color-scheme.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { Page } from "../../components/page.tsx";
import { ROLE_NAMES } from "../../components/roles.ts";
import { Section } from "../../components/section.tsx";
import { accountApi, securityQuery } from "./api.ts";
import { NameForm } from "./name-form.tsx";
import { Notifications } from "./notifications.tsx";
import { PasswordForm } from "./password-form.tsx";
import { Sessions } from "./sessions.tsx";
import { TwoFactor } from "./two-factor.tsx";

export function Account() {
  const { email, role, organization } = useAccount();
  const { version, sign_in } = useSession();
  const security = useQuery(securityQuery);
  const facts = [
    ["E-mail address", email],
    ["Organization", organization?.name ?? "Operator"],
    ["Role", ROLE_NAMES[role]],
  ];
  return (
    <Page
      title="Your account"
      description="Your profile, notifications, how you sign in, and the browsers you are signed in with."
    >
      <Section title="Profile">
        <NameForm />
        <SimpleGrid cols={{ base: 1, xs: 2 }} component="dl" m={0}>
          {facts.map(([label, value]) => (
            <Stack key={label} gap={2}>
              <Text component="dt" size="xs" c="dimmed">
                {label}
              </Text>
              <Text component="dd" m={0} fw={500} style={{ overflowWrap: "anywhere" }}>
                {value}
              </Text>
            </Stack>
          ))}
        </SimpleGrid>
      </Section>
      <Section title="Appearance" description="Applies to this browser.">
        <Group>
          <ColorSchemeControl />
        </Group>
      </Section>
      <Notifications />
      <Loaded query={security} rows={3}>
        {(security) => (
          <>
            <Section
              title="Password"
              description={
                security.has_password
                  ? "Changing it ends your other sessions."
                  : `You don't have a password yet. With one, you can also sign in${sign_in.oidc ? ` without ${sign_in.oidc.name}` : " without a link"}.`
              }
            >
              <PasswordForm hasPassword={security.has_password} />
            </Section>
            <Section title="Second factor" description={describeTwoFactor(security)}>
              <TwoFactor security={security} />
            </Section>
          </>
        )}
      </Loaded>
      <Section title="Sessions" description="End the ones you don't recognize, then change your password.">
        <Sessions />
      </Section>
      <Section title="Your data" description="Everything that is stored about you, as a JSON file.">
        <Group>
          <Button
            component="a"
            href={accountApi.dataUrl}
            variant="default"
            leftSection={<IconDownload size={16} stroke={1.6} />}
          >
            Download my data
          </Button>
        </Group>
      </Section>
      <Text size="xs" c="dimmed">
        dbdepot {version}
      </Text>
    </Page>
  );
}

function describeTwoFactor({ passkeys, two_factor_required: isRequired }: AccountSecurity): string {
  if (passkeys.length === 0) {
    return "With a passkey, your password alone is not enough to sign in, and most passkeys sign you in without it. It is a fingerprint, a face, a PIN or a security key that your device checks.";
  }
  const rule = "After your password, you are asked for a passkey or a recovery code.";
  return isRequired ? `${rule} Your account needs at least one passkey.` : rule;
}
