import { ACCESS_MESSAGE_MAX_LENGTH } from "@dbdepot/contract/console/licences";
import type { OperatorRequest } from "@dbdepot/contract/operator/requests";
import { Button, Group, Modal, Stack, Textarea } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api } from "../../app/api.ts";
import { FormError } from "../../components/form-error.tsx";
import { showSuccess } from "../../components/notices.ts";
import { decisionNotice, refreshRequests } from "./decisions.ts";

/** Asks for the reason, which the customer sees. */
export function DeclineDialog({ request, onClose }: { request: OperatorRequest; onClose: () => void }) {
  const queryClient = useQueryClient();
  const form = useForm({
    initialValues: { reason: "" },
    validate: { reason: (value) => (value.trim() === "" ? "Give a reason" : null) },
  });
  const decline = useMutation({
    mutationFn: (reason: string) => api.declineRequest(request.id, { reason }),
    onSuccess: async (decided) => {
      await refreshRequests(queryClient);
      showSuccess(decisionNotice(decided));
      onClose();
    },
  });
  return (
    <Modal
      opened
      onClose={onClose}
      title={`Decline the request of ${request.organization_name}`}
      closeButtonProps={{ "aria-label": "Close" }}
    >
      <form onSubmit={form.onSubmit(({ reason }) => decline.mutate(reason))} noValidate>
        <Stack gap="lg">
          <FormError error={decline.error} />
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
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" color="red.9" loading={decline.isPending}>
              Decline request
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
