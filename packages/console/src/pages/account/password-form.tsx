import { Button, Group, PasswordInput, Stack } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useAccount } from "../../app/session.ts";
import { useInputGuard } from "../../components/dialog.tsx";
import { FormError } from "../../components/form-error.tsx";
import { NewPasswordInput, passwordProblem } from "../../components/new-password-input.tsx";
import { showSuccess } from "../../components/notices.ts";
import { accountApi, securityQuery } from "./api.ts";

/** Changes the password, or sets the first one. */
export function PasswordForm({ hasPassword }: { hasPassword: boolean }) {
  const { email } = useAccount();
  const queryClient = useQueryClient();
  const form = useForm({
    mode: "uncontrolled",
    initialValues: { current: "", password: "" },
    validate: { password: passwordProblem },
  });
  const change = useMutation({
    mutationFn: ({ current, password }: { current: string; password: string }) =>
      accountApi.changePassword(hasPassword ? { current, password } : { password }),
    onSuccess: async () => {
      form.reset();
      showSuccess(hasPassword ? "Your password has been changed." : "Your password has been set.");
      await queryClient.invalidateQueries({ queryKey: ["sessions"] });
      await queryClient.invalidateQueries({ queryKey: securityQuery.queryKey });
    },
  });
  const { question } = useInputGuard(() => form.isDirty() && !change.isPending);
  return (
    <form onSubmit={form.onSubmit((values) => change.mutate(values))}>
      <Stack maw={400}>
        <FormError error={change.error} />
        <input type="hidden" name="username" autoComplete="username" value={email} />
        {hasPassword && (
          <PasswordInput
            label="Current password"
            autoComplete="current-password"
            required
            withAsterisk={false}
            key={form.key("current")}
            {...form.getInputProps("current")}
          />
        )}
        <NewPasswordInput label="New password" key={form.key("password")} {...form.getInputProps("password")} />
        <Group>
          <Button type="submit" loading={change.isPending}>
            {hasPassword ? "Change password" : "Set password"}
          </Button>
        </Group>
      </Stack>
      {question}
    </form>
  );
}
