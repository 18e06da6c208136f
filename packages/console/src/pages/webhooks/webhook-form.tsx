import type { CreateWebhookRequest, IssuedWebhook, Webhook } from "@dbdepot/contract/v2/webhooks";
import { Checkbox, Radio, SimpleGrid, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { FormDialog } from "../../components/form-dialog.tsx";
import { showSuccess } from "../../components/notices.ts";
import { EVENT_OPTIONS } from "./event-types.ts";
import { WEBHOOKS_KEY, type WebhookSource } from "./webhook-source.ts";

interface WebhookFormProps {
  source: WebhookSource;
  /** Undefined to create one. */
  edited: Webhook | undefined;
  onClose: () => void;
  onCreated: (issued: IssuedWebhook) => void;
}

export function WebhookFormDialog({ source, edited, onClose, onCreated }: WebhookFormProps) {
  const queryClient = useQueryClient();
  const form = useForm({
    initialValues: {
      url: edited?.url ?? "",
      description: edited?.description ?? "",
      which: edited?.event_types ? "some" : "all",
      types: edited?.event_types ?? [],
    },
    validate: {
      url: (value) => (/^https?:\/\/./.test(value.trim()) ? null : "Enter a URL that starts with https://"),
      types: (value, { which }) => (which === "some" && value.length === 0 ? "Choose at least one" : null),
    },
  });
  const save = useMutation({
    mutationFn: async (body: CreateWebhookRequest) => {
      if (!edited) return source.create(body);
      await source.update(edited.id, body);
      return undefined;
    },
    onSuccess: async (issued) => {
      await queryClient.invalidateQueries({ queryKey: [WEBHOOKS_KEY] });
      if (issued) return onCreated(issued);
      showSuccess("The webhook has been changed.");
      onClose();
    },
  });
  const submit = form.onSubmit(({ url, description, which, types }) =>
    save.mutate({
      url: url.trim(),
      description: description.trim(),
      event_types: which === "all" ? null : (types as NonNullable<CreateWebhookRequest["event_types"]>),
    }),
  );
  return (
    <FormDialog
      title={edited ? "Edit the webhook" : "Create a webhook"}
      submitLabel={edited ? "Save" : "Create webhook"}
      mutation={save}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextInput
        label="URL"
        description="Where events are sent. It must be reachable from the internet"
        placeholder="https://hooks.example.com/dbdepot"
        type="url"
        maxLength={2000}
        data-autofocus
        {...form.getInputProps("url")}
      />
      <TextInput
        label="Description"
        description="What it is for (optional)"
        maxLength={200}
        {...form.getInputProps("description")}
      />
      <Radio.Group label="Events" {...form.getInputProps("which")}>
        <Stack gap="xs" mt="xs">
          <Radio value="all" label="All" description="Including types that are added later" />
          <Radio value="some" label="Only some" />
        </Stack>
      </Radio.Group>
      {form.values.which === "some" && (
        <Checkbox.Group label="Types of events" {...form.getInputProps("types")}>
          <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs" mt="xs">
            {EVENT_OPTIONS.map(({ value, label }) => (
              <Checkbox key={value} value={value} label={label} />
            ))}
          </SimpleGrid>
        </Checkbox.Group>
      )}
    </FormDialog>
  );
}
