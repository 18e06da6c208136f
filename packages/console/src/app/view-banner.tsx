import { Button, Group, Paper, Text } from "@mantine/core";
import { IconEye } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { showError } from "../components/notices.ts";
import { sessionApi, startSession, useSession } from "./session.ts";

/** Tells an operator that they see the console of a customer, and leads back. */
export function ViewBanner() {
  const { viewing_as: viewed } = useSession();
  const router = useRouter();
  const leave = useMutation({
    mutationFn: sessionApi.leaveView,
    onSuccess: async (session) => {
      startSession(session);
      if (viewed) await router.navigate({ to: "/organizations/$id", params: { id: viewed.id } });
      await router.invalidate();
    },
    onError: showError,
  });
  if (!viewed) return null;
  return (
    <Paper
      component="section"
      aria-label="View as customer"
      bg="var(--mantine-color-yellow-light)"
      px="md"
      py="xs"
      mb="lg"
    >
      <Group justify="space-between" gap="sm">
        <Group gap="sm" wrap="nowrap" style={{ flex: "1 1 240px" }}>
          <IconEye size={18} stroke={1.8} style={{ flex: "none" }} aria-hidden />
          <Text>
            You see this console as an admin of <strong>{viewed.name}</strong>. You can't change or download anything.
          </Text>
        </Group>
        <Button size="xs" loading={leave.isPending} onClick={() => leave.mutate()}>
          Leave the view
        </Button>
      </Group>
    </Paper>
  );
}
