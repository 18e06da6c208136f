import type { SessionAccount } from "@dbdepot/contract/console/sessions";
import {
  Avatar,
  Group,
  Menu,
  SegmentedControl,
  Text,
  UnstyledButton,
  useMantineColorScheme,
  VisuallyHidden,
} from "@mantine/core";
import { IconLogout, IconSelector, IconUser } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { showError } from "../components/notices.ts";
import { sessionApi } from "./session.ts";
import classes from "./shell.module.css";

export function AccountMenu({ account }: { account: SessionAccount }) {
  const signOut = useMutation({
    mutationFn: sessionApi.signOut,
    // Reloads the console, so that no data of the session stays in memory.
    onSuccess: () => window.location.assign("/console/sign-in"),
    onError: showError,
  });
  return (
    <Menu position="top-start" width={232} shadow="md">
      <Menu.Target>
        <UnstyledButton className={classes.link ?? ""}>
          <Group gap="xs" wrap="nowrap">
            <VisuallyHidden>Account menu of</VisuallyHidden>
            <Avatar size={28} radius="xl" color="accent" name={account.name || account.email} alt="" aria-hidden />
            <div style={{ minWidth: 0, flex: 1 }}>
              <Text size="sm" fw={500} truncate>
                {account.name || account.email}
              </Text>
              {account.name && (
                <Text size="xs" c="dimmed" truncate>
                  {account.email}
                </Text>
              )}
            </div>
            <IconSelector size={16} stroke={1.6} />
          </Group>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item
          leftSection={<IconUser size={16} stroke={1.6} />}
          renderRoot={(props) => <Link to="/account" {...props} />}
        >
          Your account
        </Menu.Item>
        <Menu.Item leftSection={<IconLogout size={16} stroke={1.6} />} onClick={() => signOut.mutate()}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

/** Switches between light, dark and the setting of the system. */
export function ColorSchemeControl() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <SegmentedControl
      aria-label="Appearance"
      value={colorScheme}
      onChange={(value) => setColorScheme(value as typeof colorScheme)}
      data={[
        { value: "auto", label: "System" },
        { value: "light", label: "Light" },
        { value: "dark", label: "Dark" },
      ]}
    />
  );
}
