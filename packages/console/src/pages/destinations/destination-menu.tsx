import type { Destination } from "@dbdepot/contract/v2/destinations";
import { Menu } from "@mantine/core";
import { IconPencil, IconPlayerPause, IconPlayerPlay, IconTrash } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { ActionsMenu, MenuAction } from "../../components/actions-menu.tsx";
import { DeleteDialog } from "../../components/delete-dialog.tsx";
import { showError, showSuccess } from "../../components/notices.ts";
import { DestinationFormDialog } from "./destination-form.tsx";
import { DESTINATIONS_KEY, type DestinationSource, destinationsQuery, listPage } from "./destination-source.ts";
import { locationOf } from "./state.tsx";

interface DestinationMenuProps {
  source: DestinationSource;
  destination: Destination;
  /** Whether it is next to the title of the destination's page. */
  isOnPage?: boolean;
}

/** Everything that can be done with a destination but a test, with the dialogs. */
export function DestinationMenu({ source, destination, isOnPage = false }: DestinationMenuProps) {
  const { id, enabled } = destination;
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const [dialog, setDialog] = useState<"edit" | "delete">();
  const close = () => setDialog(undefined);
  const { data } = useQuery(destinationsQuery(source));
  const switchOver = useMutation({
    mutationFn: () => source.update(id, { enabled: !enabled }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: [DESTINATIONS_KEY] });
      showSuccess(enabled ? "Nothing more is delivered." : "What the bucket lacks is delivered now.");
    },
    onError: showError,
  });
  return (
    <>
      <ActionsMenu subject={locationOf(destination)} width={160} isLarge={isOnPage}>
        <MenuAction icon={IconPencil} onClick={() => setDialog("edit")}>
          Edit
        </MenuAction>
        <MenuAction icon={enabled ? IconPlayerPause : IconPlayerPlay} onClick={() => switchOver.mutate()}>
          {enabled ? "Pause" : "Enable"}
        </MenuAction>
        <Menu.Divider />
        <MenuAction icon={IconTrash} isDangerous onClick={() => setDialog("delete")}>
          Delete
        </MenuAction>
      </ActionsMenu>
      {dialog === "edit" && data && (
        <DestinationFormDialog source={source} setup={data.setup} edited={destination} onClose={close} />
      )}
      {dialog === "delete" && (
        <DeleteDialog
          noun="destination"
          queryKey={[DESTINATIONS_KEY]}
          remove={() => source.remove(id)}
          {...(isOnPage && { onDeleted: () => navigate(listPage(source)) })}
          onClose={close}
        >
          Nothing more is delivered to <code style={{ overflowWrap: "anywhere" }}>{locationOf(destination)}</code>, and
          the log of its deliveries is deleted. The files stay in the bucket. This can't be undone. To stop for a while,
          pause it instead.
        </DeleteDialog>
      )}
    </>
  );
}
