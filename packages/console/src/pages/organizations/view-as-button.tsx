import type { OperatorOrganization } from "@dbdepot/contract/operator/organizations";
import { Button } from "@mantine/core";
import { IconEye } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { sessionApi, startSession } from "../../app/session.ts";
import { showError } from "../../components/notices.ts";

/** Continues in the console as the organization's admins see it. */
export function ViewAsButton({ organization: { id } }: { organization: OperatorOrganization }) {
  const router = useRouter();
  const view = useMutation({
    mutationFn: () => sessionApi.viewAs(id),
    onSuccess: async (session) => {
      startSession(session);
      await router.navigate({ to: "/databases" });
      await router.invalidate();
    },
    onError: showError,
  });
  return (
    <Button
      variant="default"
      leftSection={<IconEye size={16} stroke={1.6} />}
      loading={view.isPending}
      onClick={() => view.mutate()}
    >
      View as customer
    </Button>
  );
}
