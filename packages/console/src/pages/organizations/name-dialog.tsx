import { Select, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useSession } from "../../app/session.ts";
import { FormDialog } from "../../components/form-dialog.tsx";

interface NameDialogProps {
  title: string;
  name: string;
  externalId: string | null;
  /** Undefined for a new organization. */
  linkRegion?: string | null;
  submitLabel: string;
  mutation: { error: Error | null; isPending: boolean };
  onSubmit: (values: { name: string; external_id: string | null; link_region?: string | null }) => void;
  onClose: () => void;
}

export function NameDialog(props: NameDialogProps) {
  const { title, name, externalId, linkRegion, submitLabel, mutation, onSubmit, onClose } = props;
  const { link_regions: regions } = useSession();
  const hasRegion = linkRegion !== undefined && regions.length > 0;
  const form = useForm({
    initialValues: { name, externalId: externalId ?? "", linkRegion: linkRegion ?? null },
    validate: { name: (value) => (value.trim() === "" ? "Enter a name" : null) },
  });
  return (
    <FormDialog
      title={title}
      submitLabel={submitLabel}
      mutation={mutation}
      onSubmit={form.onSubmit((values) =>
        onSubmit({
          name: values.name.trim(),
          external_id: values.externalId.trim() || null,
          ...(hasRegion && { link_region: values.linkRegion }),
        }),
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
      {hasRegion && (
        <Select
          label="Region of downloads"
          description="Where its links lead to (default: the region that your proxy names, or the first)"
          data={regions}
          clearable
          {...form.getInputProps("linkRegion")}
        />
      )}
    </FormDialog>
  );
}
