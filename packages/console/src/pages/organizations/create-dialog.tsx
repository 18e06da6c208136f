import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { showSuccess } from "../../components/notices.ts";
import { ORGANIZATIONS_KEY, organizationsApi } from "./api.ts";
import { NameDialog } from "./name-dialog.tsx";

/** Continues on the page of the new organization. */
export function CreateOrganizationDialog({ onClose }: { onClose: () => void }) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const add = useMutation({
    mutationFn: organizationsApi.add,
    onSuccess: async ({ id, name }) => {
      await queryClient.invalidateQueries({ queryKey: ORGANIZATIONS_KEY });
      showSuccess(`${name} has been added.`);
      await navigate({ to: "/organizations/$id", params: { id } });
    },
  });
  return (
    <NameDialog
      title="Add an organization"
      name=""
      externalId={null}
      submitLabel="Add organization"
      mutation={add}
      onSubmit={(values) => add.mutate(values)}
      onClose={onClose}
    />
  );
}
