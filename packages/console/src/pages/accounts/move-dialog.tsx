import type { ConsoleAccount } from "@dbdepot/contract/console/accounts";
import { Button, Group, Modal, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api } from "../../app/api.ts";
import { FormError } from "../../components/form-error.tsx";
import { showSuccess } from "../../components/notices.ts";
import { ACCOUNTS_KEY } from "./queries.ts";

export function MoveDialog({ account, onClose }: { account: ConsoleAccount; onClose: () => void }) {
  const queryClient = useQueryClient();
  const { id, email } = account;
  const form = useForm({
    initialValues: { organization: "" },
    validate: { organization: (value) => (value.trim() === "" ? "Enter the organization" : null) },
  });
  const move = useMutation({
    mutationFn: (organization: string) => api.moveAccount(id, organization),
    onSuccess: async (moved) => {
      await queryClient.invalidateQueries({ queryKey: ACCOUNTS_KEY });
      showSuccess(`${email} now belongs to ${moved.organization?.name}. Send them a new link.`);
      onClose();
    },
  });
  return (
    <Modal opened onClose={onClose} title={`Move ${email}`} closeButtonProps={{ "aria-label": "Close" }}>
      <form onSubmit={form.onSubmit(({ organization }) => move.mutate(organization.trim()))} noValidate>
        <Stack gap="lg">
          <FormError error={move.error} />
          <Text>They are signed out everywhere and need a new link to choose a password.</Text>
          <TextInput
            label="New organization"
            description="Its exact name or id"
            data-autofocus
            {...form.getInputProps("organization")}
          />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={move.isPending}>
              Move account
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
