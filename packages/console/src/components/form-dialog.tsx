import { Button, Group, Modal, Stack } from "@mantine/core";
import type { FormEvent, ReactNode } from "react";
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

/** A dialog that contains nothing but a form. */
export function FormDialog({ title, ...form }: DialogFormProps & { title: string }) {
  return (
    <Modal opened onClose={form.onClose} title={title}>
      <DialogForm {...form} />
    </Modal>
  );
}

/** Fields between the error of the last request and the buttons. Stays open until the request succeeds. */
export function DialogForm(props: DialogFormProps) {
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
