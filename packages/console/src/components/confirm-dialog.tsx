import { Button, Group, Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { Dialog } from "./dialog.tsx";

interface ConfirmDialogProps {
  title: string;
  children: ReactNode;
  confirmLabel: string;
  /** Whether the action can be undone. Otherwise the button is red. */
  isReversible?: boolean;
  isPending: boolean;
  onConfirm: () => void;
  onClose: () => void;
}

/** Asks for confirmation of an action. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { title, children, confirmLabel, isReversible, isPending, onConfirm, onClose } = props;
  return (
    <Dialog onClose={onClose} title={title} size="md" isSaving={isPending}>
      <Stack gap="lg">
        <Text component="div">{children}</Text>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose} data-autofocus>
            Cancel
          </Button>
          <Button {...(!isReversible && { color: "red.9" })} loading={isPending} onClick={onConfirm}>
            {confirmLabel}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
