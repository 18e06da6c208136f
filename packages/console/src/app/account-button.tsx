import type { SessionAccount } from "@dbdepot/contract/console/sessions";
import { Avatar, Group, Text, UnstyledButton, VisuallyHidden } from "@mantine/core";
import { IconSelector } from "@tabler/icons-react";
import { cloneElement, lazy, Suspense, useState } from "react";
import { loadChunk } from "./chunks.tsx";
import classes from "./shell.module.css";

const loadMenu = async () => ({ default: (await loadChunk(() => import("./account-menu.tsx"))).AccountMenu });
const AccountMenu = lazy(loadMenu);

/** Shows who is signed in. The menu behind it loads when someone is about to open it. */
export function AccountButton({ account }: { account: SessionAccount }) {
  const [isUsed, setUsed] = useState(false);
  const button = (
    <UnstyledButton
      className={classes.link ?? ""}
      aria-haspopup="menu"
      onMouseEnter={() => void loadMenu()}
      onFocus={() => void loadMenu()}
    >
      <Group gap="xs" wrap="nowrap">
        <VisuallyHidden>Account menu of</VisuallyHidden>
        <Avatar size={28} radius="xl" color="accent" name={account.name || account.email} alt="" aria-hidden />
        <div style={{ minWidth: 0, flex: 1 }}>
          <Text size="sm" fw={500} truncate title={account.name || account.email}>
            {account.name || account.email}
          </Text>
          {account.name && (
            <Text size="xs" c="dimmed" truncate title={account.email}>
              {account.email}
            </Text>
          )}
        </div>
        <IconSelector size={16} stroke={1.6} />
      </Group>
    </UnstyledButton>
  );
  const closed = cloneElement(button, { onClick: () => setUsed(true) });
  if (!isUsed) return closed;
  return (
    <Suspense fallback={closed}>
      <AccountMenu isOpen target={button} />
    </Suspense>
  );
}
