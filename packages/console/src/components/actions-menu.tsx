import { ActionIcon, Menu } from "@mantine/core";
import { type Icon, IconDots } from "@tabler/icons-react";
import type { ReactNode } from "react";

interface ActionsMenuProps {
  /** The label for screen readers, which names the object of the actions. */
  subject: string;
  width: number;
  /** Next to the title of a page instead of in a row. */
  isLarge?: boolean;
  children: ReactNode;
}

/** Everything that can be done with a row, behind three dots. */
export function ActionsMenu({ subject, width, isLarge = false, children }: ActionsMenuProps) {
  return (
    <Menu position="bottom-end" shadow="md" width={width}>
      <Menu.Target>
        <ActionIcon
          {...(isLarge ? { variant: "default", size: 36 } : { variant: "subtle", color: "gray" })}
          aria-label={`Actions for ${subject}`}
        >
          <IconDots size={18} stroke={1.6} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>{children}</Menu.Dropdown>
    </Menu>
  );
}

interface MenuActionProps {
  icon: Icon;
  /** Marks destructive actions. */
  isDangerous?: boolean;
  onClick: () => void;
  children: ReactNode;
}

export function MenuAction({ icon: Icon, isDangerous = false, onClick, children }: MenuActionProps) {
  return (
    <Menu.Item {...(isDangerous && { color: "red" })} leftSection={<Icon size={16} stroke={1.6} />} onClick={onClick}>
      {children}
    </Menu.Item>
  );
}
