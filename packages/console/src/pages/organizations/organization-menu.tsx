import type { OperatorOrganization, UpdateOrganizationRequest } from "@dbdepot/contract/operator/organizations";
import { Menu } from "@mantine/core";
import { IconArchive, IconArchiveOff, IconPencil } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { ActionsMenu, MenuAction } from "../../components/actions-menu.tsx";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { showError, showSuccess } from "../../components/notices.ts";
import { ORGANIZATIONS_KEY, organizationsApi } from "./api.ts";
import { NameDialog } from "./name-dialog.tsx";

export function OrganizationMenu({ organization }: { organization: OperatorOrganization }) {
  const { id, name, archived, external_id, link_region } = organization;
  const queryClient = useQueryClient();
  const [dialog, setDialog] = useState<"edit" | "archive">();
  const close = () => setDialog(undefined);
  const update = useMutation({
    mutationFn: (change: UpdateOrganizationRequest) => organizationsApi.update(id, change),
    onSuccess: async (after) => {
      await queryClient.invalidateQueries({ queryKey: ORGANIZATIONS_KEY });
      showSuccess(`${after.name} has been ${after.archived ? "archived" : "updated"}.`);
      close();
    },
  });
  return (
    <>
      <ActionsMenu subject={name} width={180} isLarge>
        <MenuAction icon={IconPencil} onClick={() => setDialog("edit")}>
          Edit
        </MenuAction>
        <Menu.Divider />
        {archived ? (
          <MenuAction icon={IconArchiveOff} onClick={() => update.mutate({ archived: false }, { onError: showError })}>
            Restore
          </MenuAction>
        ) : (
          <MenuAction icon={IconArchive} isDangerous onClick={() => setDialog("archive")}>
            Archive
          </MenuAction>
        )}
      </ActionsMenu>
      {dialog === "edit" && (
        <NameDialog
          title={`Edit ${name}`}
          name={name}
          externalId={external_id}
          linkRegion={link_region}
          submitLabel="Save"
          mutation={update}
          onSubmit={(values) => update.mutate(values)}
          onClose={close}
        />
      )}
      {dialog === "archive" && (
        <ConfirmDialog
          title={`Archive ${name}?`}
          confirmLabel="Archive organization"
          isPending={update.isPending}
          onConfirm={() => update.mutate({ archived: true }, { onError: showError })}
          onClose={close}
        >
          All its keys are refused within a second, and its people are signed out. Licences, keys and history are kept,
          and you can restore it at any time.
        </ConfirmDialog>
      )}
    </>
  );
}
