import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { ConfirmDialog } from "./confirm-dialog.tsx";
import { showError, showSuccess } from "./notices.ts";

interface DeleteDialogProps {
  /** What is deleted, such as "webhook". */
  noun: string;
  /** The prefix of the queries that contain it. */
  queryKey: readonly string[];
  remove: () => Promise<unknown>;
  onDeleted?: () => Promise<unknown>;
  onClose: () => void;
  /** Says what is lost. */
  children: ReactNode;
}

/** Asks before something is deleted for good. */
export function DeleteDialog({ noun, queryKey, remove, onDeleted, onClose, children }: DeleteDialogProps) {
  const queryClient = useQueryClient();
  const removal = useMutation({
    mutationFn: remove,
    onSuccess: async () => {
      // The page about it must not load it again.
      await onDeleted?.();
      await queryClient.invalidateQueries({ queryKey });
      showSuccess(`The ${noun} has been deleted.`);
      onClose();
    },
    onError: showError,
  });
  return (
    <ConfirmDialog
      title={`Delete the ${noun}?`}
      confirmLabel={`Delete ${noun}`}
      isPending={removal.isPending}
      onConfirm={() => removal.mutate()}
      onClose={onClose}
    >
      {children}
    </ConfirmDialog>
  );
}
