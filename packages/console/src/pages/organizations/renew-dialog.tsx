import type { RenewLicenceRequest } from "@dbdepot/contract/operator/licences";
import { Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { FormDialog } from "../../components/form-dialog.tsx";
import type { TimelineLicence } from "../../components/licence-timeline.tsx";
import { showSuccess } from "../../components/notices.ts";
import { licencesApi } from "../licences/api.ts";
import { ContractFields, type ContractValues, contractProblems, dateOf, momentOf } from "./contract-fields.tsx";

export function RenewDialog({ licence, onClose }: { licence: TimelineLicence; onClose: () => void }) {
  const queryClient = useQueryClient();
  const form = useForm<ContractValues>({
    initialValues: {
      expires: dateOf(licence.expires),
      renewsAt: dateOf(licence.renews_at),
      noticeDueAt: dateOf(licence.notice_due_at),
      terms: licence.terms,
    },
    validate: (values) => contractProblems({ ...values, starts: dateOf(licence.starts) }),
  });
  const renew = useMutation({
    mutationFn: (body: RenewLicenceRequest) => licencesApi.renew(licence.id, body),
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
    <FormDialog
      title={`Renew the licence for ${licence.name}`}
      submitLabel="Save"
      isDisabled={!form.isDirty()}
      mutation={renew}
      onSubmit={submit}
      onClose={onClose}
    >
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
      <ContractFields form={form} />
    </FormDialog>
  );
}
