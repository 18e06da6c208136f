import type { OperatorRequest } from "@dbdepot/contract/operator/requests";
import { ACCESS_MESSAGE_MAX_LENGTH } from "@dbdepot/contract/shared/choices";
import { Textarea } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { FormDialog } from "../../components/form-dialog.tsx";
import { showSuccess } from "../../components/notices.ts";
import { refreshRequests, requestsApi } from "./api.ts";
import { decisionNotice } from "./decisions.ts";

/** Asks for the reason, which the customer sees. */
export function DeclineDialog({ request, onClose }: { request: OperatorRequest; onClose: () => void }) {
  const queryClient = useQueryClient();
  const form = useForm({
    initialValues: { reason: "" },
    validate: { reason: (value) => (value.trim() === "" ? "Give a reason" : null) },
  });
  const decline = useMutation({
    mutationFn: (reason: string) => requestsApi.decline(request.id, { reason }),
    onSuccess: async (decided) => {
      await refreshRequests(queryClient);
      showSuccess(decisionNotice(decided));
      onClose();
    },
  });
  return (
    <FormDialog
      title={`Decline the request of ${request.organization_name}`}
      submitLabel="Decline request"
      isDangerous
      mutation={decline}
      onSubmit={form.onSubmit(({ reason }) => decline.mutate(reason))}
      onClose={onClose}
    >
      <Textarea
        label="Reason"
        description={`${request.email} sees it in the console, and in an e-mail if this server sends any.`}
        autosize
        minRows={4}
        maxRows={10}
        maxLength={ACCESS_MESSAGE_MAX_LENGTH}
        data-autofocus
        {...form.getInputProps("reason")}
      />
    </FormDialog>
  );
}
