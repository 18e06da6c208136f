import type { OperatorFamily } from "@dbdepot/contract/operator/catalogue";
import { Radio, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { FormDialog } from "../../components/form-dialog.tsx";
import { showSuccess } from "../../components/notices.ts";
import { ACCESS_DESCRIPTIONS, ACCESS_NAMES, type Access, accessOf } from "./access.tsx";
import { catalogueApi, catalogueQuery } from "./api.ts";

interface FamilyFormProps {
  /** Undefined to add one. */
  edited: OperatorFamily | undefined;
  onClose: () => void;
  onSaved?: (family: OperatorFamily) => void;
}

export function FamilyForm({ edited, onClose, onSaved }: FamilyFormProps) {
  const queryClient = useQueryClient();
  const form = useForm({
    initialValues: {
      base: edited?.base ?? "",
      name: edited?.name ?? "",
      access: edited ? accessOf(edited) : ("public" as Access),
    },
    validate: {
      base: (value) => (/^\w+$/.test(value) ? null : "Use letters, digits and underscores, for example vpn_ip"),
      name: (value) => (value.trim() === "" ? "Enter a name" : null),
    },
  });
  const save = useMutation({
    mutationFn: ({ base, name, access }: typeof form.values) => {
      const body = {
        name: name.trim(),
        visibility: access === "private" ? ("private" as const) : ("public" as const),
        open: access === "open",
      };
      return edited ? catalogueApi.updateFamily(edited.base, body) : catalogueApi.addFamily({ base, ...body });
    },
    onSuccess: async (family) => {
      await queryClient.invalidateQueries({ queryKey: catalogueQuery.queryKey });
      showSuccess(edited ? `${family.name} has been changed.` : `${family.name} has been added.`);
      onClose();
      onSaved?.(family);
    },
  });
  return (
    <FormDialog
      title={edited ? `Edit ${edited.name}` : "Add a family"}
      submitLabel={edited ? "Save" : "Add family"}
      mutation={save}
      onSubmit={form.onSubmit((values) => save.mutate(values))}
      onClose={onClose}
    >
      <TextInput
        label="Id"
        description={
          edited
            ? "Frozen: the ids of its versions begin with it, and customers' programs use them."
            : "The ids of its versions begin with it, such as vpn_ip_v1. It can't be changed later."
        }
        maxLength={53}
        disabled={edited !== undefined}
        data-autofocus={edited === undefined || undefined}
        {...form.getInputProps("base")}
      />
      <TextInput
        label="Name"
        description="What customers see"
        maxLength={500}
        data-autofocus={edited !== undefined || undefined}
        {...form.getInputProps("name")}
      />
      <Radio.Group label="Access" {...form.getInputProps("access")}>
        <Stack gap="xs" mt="xs">
          {(Object.keys(ACCESS_NAMES) as Access[]).map((access) => (
            <Radio key={access} value={access} label={ACCESS_NAMES[access]} description={ACCESS_DESCRIPTIONS[access]} />
          ))}
        </Stack>
      </Radio.Group>
    </FormDialog>
  );
}
