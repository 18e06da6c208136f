import type { ConsoleAccount } from "@dbdepot/contract/console/accounts";
import { Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { FormDialog } from "../../components/form-dialog.tsx";
import { showSuccess } from "../../components/notices.ts";
import { ACCOUNTS_KEY, accountsApi } from "./api.ts";

export function MoveDialog({ account, onClose }: { account: ConsoleAccount; onClose: () => void }) {
  const queryClient = useQueryClient();
  const { id, email } = account;
  const form = useForm({
    initialValues: { organization: "" },
    validate: { organization: (value) => (value.trim() === "" ? "Enter the organization" : null) },
  });
  const move = useMutation({
    mutationFn: (organization: string) => accountsApi.move(id, organization),
    onSuccess: async (moved) => {
      await queryClient.invalidateQueries({ queryKey: ACCOUNTS_KEY });
      showSuccess(`${email} now belongs to ${moved.organization?.name}. Send them a new link.`);
      onClose();
    },
  });
  return (
    <FormDialog
      title={`Move ${email}`}
      submitLabel="Move account"
      mutation={move}
      onSubmit={form.onSubmit(({ organization }) => move.mutate(organization.trim()))}
      onClose={onClose}
    >
      <Text>They are signed out everywhere and need a new link to choose a password.</Text>
      <TextInput
        label="New organization"
        description="Its exact name or id"
        data-autofocus
        {...form.getInputProps("organization")}
      />
    </FormDialog>
  );
}
