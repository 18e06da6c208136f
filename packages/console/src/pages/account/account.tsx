import { Group, SimpleGrid, Stack, Text } from "@mantine/core";
import { ColorSchemeControl } from "../../app/account-menu.tsx";
import { useAccount, useSession } from "../../app/session.ts";
import { Page } from "../../components/page.tsx";
import { ROLE_NAMES } from "../../components/roles.ts";
import { Section } from "../../components/section.tsx";
import { PasswordForm } from "./password-form.tsx";
import { Sessions } from "./sessions.tsx";

export function Account() {
  const { name, email, role, organization } = useAccount();
  const { version } = useSession();
  const facts = [
    ["Name", name || "Not set"],
    ["E-mail address", email],
    ["Organization", organization?.name ?? "Operator"],
    ["Role", ROLE_NAMES[role]],
  ];
  return (
    <Page title="Your account" description="Your profile, your password and the browsers you are signed in with.">
      <Section title="Profile">
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
      <Section title="Password" description="Changing it ends your other sessions.">
        <PasswordForm />
      </Section>
      <Section title="Sessions" description="End the ones you don't recognize, then change your password.">
        <Sessions />
      </Section>
      <Text size="xs" c="dimmed">
        dbdepot {version}
      </Text>
    </Page>
  );
}
