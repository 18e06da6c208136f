import type { InviteRequest, Role } from "@dbdepot/contract/console/accounts";
import type { SessionAccount } from "@dbdepot/contract/console/sessions";
import { Radio, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { isOperatorRole } from "../../app/session.ts";
import { FormDialog } from "../../components/form-dialog.tsx";
import { ROLE_DESCRIPTIONS, ROLE_NAMES } from "../../components/roles.ts";
import type { Link } from "./actions.ts";
import { ACCOUNTS_KEY, accountsApi } from "./api.ts";

interface InviteDialogProps {
  me: SessionAccount;
  /** The organization to invite to. If undefined, it is the person's own or the one in the form. */
  organization: SessionAccount["organization"] | undefined;
  /** The first person of an organization has to manage it. */
  isFirst?: boolean;
  onClose: () => void;
  onInvited: (link: Link) => void;
}

export function InviteDialog({ me, organization, isFirst, onClose, onInvited }: InviteDialogProps) {
  const queryClient = useQueryClient();
  const choosesOrganization = isOperatorRole(me.role) && !organization;
  const roles: Role[] = choosesOrganization ? ["admin", "viewer", "operator", "operator_viewer"] : ["viewer", "admin"];
  const form = useForm({
    initialValues: {
      email: "",
      name: "",
      role: isFirst ? "admin" : (roles[0] as Role),
      organization: organization?.id ?? "",
    },
    validate: {
      email: (value) => (/^\S+@\S+$/.test(value) ? null : "Enter an e-mail address"),
      organization: (value, { role }) =>
        choosesOrganization && !isOperatorRole(role) && value.trim() === "" ? "Enter the organization" : null,
    },
  });
  const needsOrganization = choosesOrganization && !isOperatorRole(form.values.role);
  const invite = useMutation({
    mutationFn: (body: InviteRequest) => accountsApi.invite(body),
    onSuccess: async ({ account, link, expires, mail }) => {
      await queryClient.invalidateQueries({ queryKey: ACCOUNTS_KEY });
      onInvited({ email: account.email, purpose: "invitation", url: link, expires, mail });
    },
  });
  const submit = form.onSubmit(({ email, name, role, organization: chosen }) =>
    invite.mutate({
      email: email.trim(),
      role,
      ...(name.trim() && { name: name.trim() }),
      ...(chosen.trim() && !isOperatorRole(role) && { organization: chosen.trim() }),
    }),
  );
  return (
    <FormDialog
      title={organization ? `Invite someone to ${organization.name}` : "Invite someone"}
      submitLabel="Create invitation"
      mutation={invite}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextInput label="E-mail address" type="email" data-autofocus {...form.getInputProps("email")} />
      <TextInput label="Name" description="Optional" maxLength={100} {...form.getInputProps("name")} />
      <Radio.Group label="Role" {...form.getInputProps("role")}>
        <Stack gap="xs" mt="xs">
          {roles.map((role) => (
            <Radio key={role} value={role} label={ROLE_NAMES[role]} description={ROLE_DESCRIPTIONS[role]} />
          ))}
        </Stack>
      </Radio.Group>
      {needsOrganization && (
        <TextInput label="Organization" description="Its exact name or id" {...form.getInputProps("organization")} />
      )}
    </FormDialog>
  );
}
