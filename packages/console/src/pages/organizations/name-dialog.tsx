import { Button, Group, Modal, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { FormError } from "../../components/form-error.tsx";

interface NameDialogProps {
  title: string;
  name: string;
  submitLabel: string;
  error: Error | null;
  isPending: boolean;
  onSubmit: (name: string) => void;
  onClose: () => void;
}

export function NameDialog({ title, name, submitLabel, error, isPending, onSubmit, onClose }: NameDialogProps) {
  const form = useForm({
    initialValues: { name },
    validate: { name: (value) => (value.trim() === "" ? "Enter a name" : null) },
  });
  return (
    <Modal opened onClose={onClose} title={title} size="md" closeButtonProps={{ "aria-label": "Close" }}>
      <form onSubmit={form.onSubmit((values) => onSubmit(values.name.trim()))} noValidate>
        <Stack gap="lg">
          <FormError error={error} />
          <TextInput
            label="Name"
            description="Unique, as people at the customer know it"
            maxLength={200}
            data-autofocus
            {...form.getInputProps("name")}
          />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={isPending}>
              {submitLabel}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
