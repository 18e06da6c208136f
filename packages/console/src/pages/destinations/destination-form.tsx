import { BUILDS_KEPT, FORMATS } from "@dbdepot/contract/shared/choices";
import type { Destination, DestinationSetup } from "@dbdepot/contract/v2/destinations";
import { Checkbox, Group, NumberInput, Select, SimpleGrid, TagsInput, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { FormDialog } from "../../components/form-dialog.tsx";
import { showSuccess } from "../../components/notices.ts";
import { FILE_NAMES } from "../databases/formats.ts";
import { AccessFields } from "./access-fields.tsx";
import { DESTINATIONS_KEY, type DestinationSource, destinationPage } from "./destination-source.ts";
import { accessOf, checksOf, type DestinationValues, settingsOf, valuesOf } from "./destination-values.ts";

const ENCRYPTIONS: { value: NonNullable<Destination["encryption"]>; label: string }[] = [
  { value: "AES256", label: "AES256 (SSE-S3)" },
  { value: "aws:kms", label: "aws:kms (SSE-KMS)" },
];

interface DestinationFormProps {
  source: DestinationSource;
  setup: DestinationSetup;
  /** Undefined to create one. */
  edited?: Destination;
  onClose: () => void;
}

export function DestinationFormDialog({ source, setup, edited, onClose }: DestinationFormProps) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const families = useQuery({ queryKey: [...source.queryKey, "families"], queryFn: source.families });
  const form = useForm({ initialValues: valuesOf(edited, setup), validate: checksOf(edited, setup) });
  const save = useMutation({
    mutationFn: (values: DestinationValues) => {
      const access = accessOf(values);
      if (!edited) return source.create({ ...settingsOf(values), ...access });
      // The access is checked again, and an open failure forgotten, only if it changes.
      const isDirty = (["access", "roleArn", "accessKeyId", "secret"] as const).some((field) => form.isDirty(field));
      return source.update(edited.id, { ...settingsOf(values), ...(isDirty && access) });
    },
    onSuccess: async ({ id }) => {
      await queryClient.invalidateQueries({ queryKey: [DESTINATIONS_KEY] });
      if (edited) showSuccess("The destination has been changed.");
      onClose();
      if (!edited) await navigate(destinationPage(source, id));
    },
  });
  return (
    <FormDialog
      title={edited ? "Edit the destination" : "Create a destination"}
      submitLabel={edited ? "Save" : "Create destination"}
      size={640}
      mutation={save}
      onSubmit={form.onSubmit((values) => save.mutate(values))}
      onClose={onClose}
    >
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="lg">
        <TextInput
          label="Bucket"
          description="Its name"
          placeholder="acme-data"
          data-autofocus
          {...form.getInputProps("bucket")}
        />
        <TextInput
          label="Prefix"
          description="A folder in the bucket (optional)"
          placeholder="dbdepot"
          maxLength={200}
          {...form.getInputProps("prefix")}
        />
        <TextInput
          label="Region"
          description="“auto” for R2 and Google Cloud"
          placeholder="eu-west-1"
          {...form.getInputProps("region")}
        />
        <TextInput
          label="Endpoint"
          description="Address of the storage. Empty: AWS"
          placeholder={setup.endpoint ?? "https://s3.example.com"}
          type="url"
          maxLength={200}
          {...form.getInputProps("endpoint")}
        />
      </SimpleGrid>
      <AccessFields form={form} setup={setup} edited={edited} />
      <TagsInput
        label="Families"
        description="Confirmed with Enter. Empty: all that your licences include, also later ones"
        data={families.data ?? []}
        splitChars={[",", " "]}
        maxTags={200}
        acceptValueOnBlur
        {...form.getInputProps("families")}
      />
      <Checkbox.Group label="Formats" {...form.getInputProps("formats")}>
        <Group gap="lg" mt="xs">
          {FORMATS.map((format) => (
            <Checkbox key={format} value={format} label={FILE_NAMES[format]} />
          ))}
        </Group>
      </Checkbox.Group>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="lg">
        <NumberInput
          label="Builds to keep"
          description="Of each database, with the current one"
          min={BUILDS_KEPT.minimum}
          max={BUILDS_KEPT.maximum}
          allowDecimal={false}
          {...form.getInputProps("keep")}
        />
        <Select
          label="Encryption"
          description="If your bucket demands that it is named"
          placeholder="The bucket's default"
          clearable
          data={ENCRYPTIONS}
          {...form.getInputProps("encryption")}
        />
      </SimpleGrid>
      <TextInput
        label="Description"
        description="What it is for (optional)"
        maxLength={200}
        {...form.getInputProps("description")}
      />
    </FormDialog>
  );
}
