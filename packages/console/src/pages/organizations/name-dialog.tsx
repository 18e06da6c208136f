import { Button, Group, Modal, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { FormError } from "../../components/form-error.tsx";

interface NameDialogProps {
  title: string;
  name: string;
  externalId: string | null;
  submitLabel: string;
  error: Error | null;
  isPending: boolean;
  onSubmit: (values: { name: string; external_id: string | null }) => void;
  onClose: () => void;
}

export function NameDialog(props: NameDialogProps) {
  const { title, name, externalId, submitLabel, error, isPending, onSubmit, onClose } = props;
  const form = useForm({
    initialValues: { name, externalId: externalId ?? "" },
    validate: { name: (value) => (value.trim() === "" ? "Enter a name" : null) },
  });
  return (
    <Modal opened onClose={onClose} title={title} size="md" closeButtonProps={{ "aria-label": "Close" }}>
      <form
        onSubmit={form.onSubmit((values) =>
          onSubmit({ name: values.name.trim(), external_id: values.externalId.trim() || null }),
        )}
        noValidate
      >
        <Stack gap="lg">
          <FormError error={error} />
          <TextInput
            label="Name"
            description="Unique, as people at the customer know it"
            maxLength={200}
            data-autofocus
            {...form.getInputProps("name")}
          />
          <TextInput
            label="External id"
            description="Its id in your other systems, such as your CRM (optional)"
            maxLength={100}
            {...form.getInputProps("externalId")}
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
