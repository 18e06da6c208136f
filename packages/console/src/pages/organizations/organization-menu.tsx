import type { OperatorOrganization, UpdateOrganizationRequest } from "@dbdepot/contract/operator/organizations";
import { ActionIcon, Menu } from "@mantine/core";
import { IconArchive, IconArchiveOff, IconDots, IconPencil } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../../app/api.ts";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { showError, showSuccess } from "../../components/notices.ts";
import { NameDialog } from "./name-dialog.tsx";
import { organizationsQuery } from "./queries.ts";

export function OrganizationMenu({ organization }: { organization: OperatorOrganization }) {
  const { id, name, archived } = organization;
  const queryClient = useQueryClient();
  const [dialog, setDialog] = useState<"rename" | "archive">();
  const close = () => setDialog(undefined);
  const update = useMutation({
    mutationFn: (change: UpdateOrganizationRequest) => api.updateOrganization(id, change),
    onSuccess: async (after) => {
      await queryClient.invalidateQueries({ queryKey: organizationsQuery.queryKey });
      showSuccess(`${after.name} has been ${after.archived ? "archived" : "updated"}.`);
      close();
    },
  });
  return (
    <>
      <Menu position="bottom-end" shadow="md" width={180}>
        <Menu.Target>
          <ActionIcon variant="default" size={36} aria-label={`Actions for ${name}`}>
            <IconDots size={18} stroke={1.6} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconPencil size={16} stroke={1.6} />} onClick={() => setDialog("rename")}>
            Rename
          </Menu.Item>
          <Menu.Divider />
          {archived ? (
            <Menu.Item
              leftSection={<IconArchiveOff size={16} stroke={1.6} />}
              onClick={() => update.mutate({ archived: false }, { onError: showError })}
            >
              Restore
            </Menu.Item>
          ) : (
            <Menu.Item
              color="red"
              leftSection={<IconArchive size={16} stroke={1.6} />}
              onClick={() => setDialog("archive")}
            >
              Archive
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      {dialog === "rename" && (
        <NameDialog
          title={`Rename ${name}`}
          name={name}
          submitLabel="Rename"
          error={update.error}
          isPending={update.isPending}
          onSubmit={(next) => update.mutate({ name: next })}
          onClose={close}
        />
      )}
      <ConfirmDialog
        isOpen={dialog === "archive"}
        title={`Archive ${name}?`}
        confirmLabel="Archive organization"
        isPending={update.isPending}
        onConfirm={() => update.mutate({ archived: true }, { onError: showError })}
        onClose={close}
      >
        All its keys are refused within a second, and its people are signed out. Licences, keys and history are kept,
        and you can restore it at any time.
      </ConfirmDialog>
    </>
  );
}
