import { TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { FormDialog } from "../../components/form-dialog.tsx";

interface NameDialogProps {
  title: string;
  name: string;
  externalId: string | null;
  submitLabel: string;
  mutation: { error: Error | null; isPending: boolean };
  onSubmit: (values: { name: string; external_id: string | null }) => void;
  onClose: () => void;
}

export function NameDialog(props: NameDialogProps) {
  const { title, name, externalId, submitLabel, mutation, onSubmit, onClose } = props;
  const form = useForm({
    initialValues: { name, externalId: externalId ?? "" },
    validate: { name: (value) => (value.trim() === "" ? "Enter a name" : null) },
  });
  return (
    <FormDialog
      title={title}
      submitLabel={submitLabel}
      mutation={mutation}
      onSubmit={form.onSubmit((values) =>
        onSubmit({ name: values.name.trim(), external_id: values.externalId.trim() || null }),
      )}
      onClose={onClose}
    >
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
    </FormDialog>
  );
}
