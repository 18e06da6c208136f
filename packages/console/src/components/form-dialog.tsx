import { Button, Group, Stack } from "@mantine/core";
import type { FormEvent, ReactNode } from "react";
import { Dialog } from "./dialog.tsx";
import { FormError } from "./form-error.tsx";

interface DialogFormProps {
  /** The request that the form sends. */
  mutation: { error: Error | null; isPending: boolean };
  submitLabel: string;
  /** Makes the button red. */
  isDangerous?: boolean;
  isDisabled?: boolean;
  onSubmit: (event: FormEvent<HTMLFormElement>) => void;
  onClose: () => void;
  children: ReactNode;
}

type FormDialogProps = DialogFormProps & {
  title: string;
  size?: number;
  /** Replaces the form once the request has succeeded. */
  done?: ReactNode;
};

/** A dialog that contains a form. It stays open until the request succeeds. */
export function FormDialog({ title, size, done, ...form }: FormDialogProps) {
  return (
    <Dialog
      title={title}
      {...(size && { size })}
      isSaving={form.mutation.isPending || done !== undefined}
      onClose={form.onClose}
    >
      {done ?? <DialogForm {...form} />}
    </Dialog>
  );
}

/** Fields between the error of the last request and the buttons. */
function DialogForm(props: DialogFormProps) {
  const { mutation, submitLabel, isDangerous, isDisabled, onSubmit, onClose, children } = props;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit(event);
      }}
      noValidate
    >
      <Stack gap="lg">
        <FormError error={mutation.error} />
        {children}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button
            type="submit"
            loading={mutation.isPending}
            {...(isDangerous && { color: "red.9" })}
            {...(isDisabled && { disabled: true })}
          >
            {submitLabel}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
