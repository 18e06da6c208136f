import { Menu } from "@mantine/core";
import { IconLogout, IconUser } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactElement } from "react";
import { showError } from "../components/notices.ts";
import { sessionApi } from "./session.ts";

/** This file is separate because menus are large, and few visitors open this one. */
export function AccountMenu({ isOpen, target }: { isOpen: boolean; target: ReactElement }) {
  const signOut = useMutation({
    mutationFn: sessionApi.signOut,
    // Reloads the console, so that no data of the session stays in memory.
    onSuccess: () => window.location.assign("/console/sign-in"),
    onError: showError,
  });
  return (
    <Menu position="top-start" width={232} shadow="md" defaultOpened={isOpen}>
      <Menu.Target>{target}</Menu.Target>
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
