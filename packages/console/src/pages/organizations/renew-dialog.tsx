import type { RenewLicenceRequest } from "@dbdepot/contract/operator/licences";
import { Button, Group, Modal, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api } from "../../app/api.ts";
import { FormError } from "../../components/form-error.tsx";
import type { TimelineLicence } from "../../components/licence-timeline.tsx";
import { showSuccess } from "../../components/notices.ts";
import { TermsSelect } from "../terms/terms-select.tsx";
import { ContractDateFields, type ContractDates, dateOf, momentOf } from "./date-fields.tsx";

export function RenewDialog({ licence, onClose }: { licence: TimelineLicence; onClose: () => void }) {
  const queryClient = useQueryClient();
  const form = useForm<ContractDates & { terms: string | null }>({
    initialValues: {
      expires: dateOf(licence.expires),
      renewsAt: dateOf(licence.renews_at),
      noticeDueAt: dateOf(licence.notice_due_at),
      terms: licence.terms,
    },
  });
  const renew = useMutation({
    mutationFn: (body: RenewLicenceRequest) => api.renewLicence(licence.id, body),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ["licences"] });
      showSuccess(`The licence for ${licence.name} has been changed.`);
      onClose();
    },
  });
  // Unchanged dates are not sent, so that the end keeps its time of day.
  const submit = form.onSubmit(({ expires, renewsAt, noticeDueAt, terms }) =>
    renew.mutate({
      ...(form.isDirty("expires") && { expires: momentOf(expires) }),
      ...(form.isDirty("renewsAt") && { renews_at: momentOf(renewsAt) }),
      ...(form.isDirty("noticeDueAt") && { notice_due_at: momentOf(noticeDueAt) }),
      ...(form.isDirty("terms") && { terms }),
    }),
  );
  return (
    <Modal
      opened
      onClose={onClose}
      title={`Renew the licence for ${licence.name}`}
      closeButtonProps={{ "aria-label": "Close" }}
    >
      <form onSubmit={submit} noValidate>
        <Stack gap="lg">
          <FormError error={renew.error} />
          {licence.state === "ended" && (
            <Text>This licence has ended. With an end in the future, downloads work again immediately.</Text>
          )}
          <TextInput
            type="date"
            label="Ends on"
            description="At midnight UTC, when this day begins. Empty: no end"
            data-autofocus
            {...form.getInputProps("expires")}
          />
          <ContractDateFields form={form} />
          <TermsSelect {...form.getInputProps("terms")} />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={renew.isPending} disabled={!form.isDirty()}>
              Save
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
