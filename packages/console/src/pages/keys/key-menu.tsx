import type { ApiKey } from "@dbdepot/contract/iam/keys";
import { Menu } from "@mantine/core";
import { IconBan, IconPencil, IconRefresh } from "@tabler/icons-react";
import { ActionsMenu, MenuAction } from "../../components/actions-menu.tsx";
import type { KeyAction } from "./actions.ts";
import { isUsable } from "./state.tsx";

export function KeyMenu({ apiKey: key, onAction }: { apiKey: ApiKey; onAction: (action: KeyAction) => void }) {
  return (
    <ActionsMenu subject={key.name} width={180}>
      <MenuAction icon={IconPencil} onClick={() => onAction({ kind: "edit", key })}>
        Edit
      </MenuAction>
      {isUsable(key) && (
        <MenuAction icon={IconRefresh} onClick={() => onAction({ kind: "rotate", key })}>
          Rotate
        </MenuAction>
      )}
      <Menu.Divider />
      <MenuAction icon={IconBan} isDangerous onClick={() => onAction({ kind: "revoke", key })}>
        Revoke
      </MenuAction>
    </ActionsMenu>
  );
}
