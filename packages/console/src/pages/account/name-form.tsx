import { Button, Group, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { sessionQuery, useAccount } from "../../app/session.ts";
import { useInputGuard } from "../../components/dialog.tsx";
import { showError, showSuccess } from "../../components/notices.ts";
import { accountApi } from "./api.ts";

/** Changes the person's own name. */
export function NameForm() {
  const { name } = useAccount();
  const [value, setValue] = useState(name);
  const queryClient = useQueryClient();
  const rename = useMutation({
    mutationFn: () => accountApi.rename(value),
    onSuccess: async (account) => {
      queryClient.setQueryData(sessionQuery.queryKey, (session) => session && { ...session, account });
      setValue(account.name);
      showSuccess("Your name has been changed.");
    },
    onError: showError,
  });
  const isChanged = value.trim() !== name;
  const { question } = useInputGuard(() => isChanged && !rename.isPending);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        rename.mutate();
      }}
    >
      <Group gap="xs" align="flex-end">
        <TextInput
          label="Name"
          autoComplete="name"
          maxLength={100}
          value={value}
          onChange={({ currentTarget }) => setValue(currentTarget.value)}
          style={{ flex: "1 1 220px", maxWidth: 400 }}
        />
        <Button type="submit" variant="default" disabled={!isChanged} loading={rename.isPending}>
          Save
        </Button>
      </Group>
      {question}
    </form>
  );
}
