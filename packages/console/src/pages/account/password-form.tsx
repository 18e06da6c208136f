import { Button, Group, PasswordInput, Stack } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api } from "../../app/api.ts";
import { useAccount } from "../../app/session.ts";
import { FormError } from "../../components/form-error.tsx";
import { NewPasswordInput, passwordProblem } from "../../components/new-password-input.tsx";
import { showSuccess } from "../../components/notices.ts";

export function PasswordForm() {
  const { email } = useAccount();
  const queryClient = useQueryClient();
  const form = useForm({
    mode: "uncontrolled",
    initialValues: { current: "", password: "" },
    validate: { password: passwordProblem },
  });
  const change = useMutation({
    mutationFn: api.changePassword,
    onSuccess: async () => {
      form.reset();
      showSuccess("Your password has been changed.");
      await queryClient.invalidateQueries({ queryKey: ["sessions"] });
    },
  });
  return (
    <form onSubmit={form.onSubmit((values) => change.mutate(values))}>
      <Stack maw={400}>
        <FormError error={change.error} />
        <input type="hidden" name="username" autoComplete="username" value={email} />
        <PasswordInput
          label="Current password"
          autoComplete="current-password"
          required
          withAsterisk={false}
          key={form.key("current")}
          {...form.getInputProps("current")}
        />
        <NewPasswordInput label="New password" key={form.key("password")} {...form.getInputProps("password")} />
        <Group>
          <Button type="submit" loading={change.isPending}>
            Change password
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
