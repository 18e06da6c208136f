import type { GrantLicenceRequest } from "@dbdepot/contract/operator/licences";
import type { OperatorOrganization } from "@dbdepot/contract/operator/organizations";
import type { OperatorRequest } from "@dbdepot/contract/operator/requests";
import { ACCESS_MESSAGE_MAX_LENGTH } from "@dbdepot/contract/shared/choices";
import type { Redistribution } from "@dbdepot/contract/v2/catalogue";
import { Paper, Radio, Select, SimpleGrid, Text, Textarea, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { FormDialog } from "../../components/form-dialog.tsx";
import { showSuccess } from "../../components/notices.ts";
import { TERMS } from "../../components/terms.ts";
import { familiesQuery } from "../catalogue/api.ts";
import { licencesApi } from "../licences/api.ts";
import { refreshRequests, requestsApi } from "../requests/api.ts";
import { decisionNotice, offerFor } from "../requests/decisions.ts";
import { ContractFields, type ContractValues, contractProblems, momentOf } from "./contract-fields.tsx";

interface GrantValues extends ContractValues {
  base: string | null;
  redistribution: Redistribution;
  starts: string;
  reply: string;
}

const TERMS_MEANING: Record<Redistribution, string> = {
  internal: "For the customer's own use",
  redistribute: "The customer may pass the data on, for example inside a product",
  evaluation: "A trial that ends automatically",
};

interface GrantDialogProps {
  organization: Pick<OperatorOrganization, "id" | "name">;
  /** The request that asks for the licence. Granting the licence answers it. */
  request?: OperatorRequest;
  onClose: () => void;
}

export function GrantDialog({ organization, request, onClose }: GrantDialogProps) {
  const queryClient = useQueryClient();
  const { data: families = [] } = useQuery(familiesQuery);
  const form = useForm<GrantValues>({
    initialValues: {
      base: null,
      redistribution: "internal",
      starts: "",
      expires: "",
      renewsAt: "",
      noticeDueAt: "",
      reply: "",
      terms: null,
      ...(request && { base: request.base, ...offerFor(request) }),
    },
    validate: (values) => ({ ...(!values.base && { base: "Choose a database" }), ...contractProblems(values) }),
  });
  const grant = useMutation({
    mutationFn: async ({ org, base, reply, ...terms }: GrantLicenceRequest & { reply: string }) => {
      if (request) return decisionNotice(await requestsApi.grant(request.id, { ...terms, reply }));
      await licencesApi.grant({ org, base, ...terms });
      return "The licence has been granted.";
    },
    onSuccess: async (notice) => {
      await refreshRequests(queryClient);
      showSuccess(notice);
      onClose();
    },
  });
  const familyName = (base: string) => families.find((family) => family.base === base)?.name ?? base;
  const isEvaluation = form.values.redistribution === "evaluation";
  const submit = form.onSubmit(({ base, redistribution, starts, expires, renewsAt, noticeDueAt, reply, terms }) =>
    grant.mutate({
      reply,
      org: organization.id,
      base: base ?? "",
      redistribution,
      ...(starts && { starts: momentOf(starts) ?? "" }),
      // If the end is omitted, an evaluation ends after the configured number of days.
      ...(expires && { expires: momentOf(expires) }),
      renews_at: momentOf(renewsAt),
      notice_due_at: momentOf(noticeDueAt),
      ...(terms && { terms }),
    }),
  );
  return (
    <FormDialog
      title={`Grant a licence to ${organization.name}`}
      size={720}
      submitLabel="Grant licence"
      mutation={grant}
      onSubmit={submit}
      onClose={onClose}
    >
      {request ? (
        <Paper p="sm" bg="var(--mantine-color-gray-light)">
          <Text size="sm" c="dimmed">
            {request.email} asks for {familyName(request.base)}
          </Text>
          <Text style={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}>{request.message}</Text>
        </Paper>
      ) : (
        <Select
          label="Database"
          description="The licence covers all its versions"
          placeholder="Choose a database"
          searchable
          openOnFocus={false}
          data-autofocus
          data={families
            .filter(({ archived }) => !archived)
            .map(({ base, name }) => ({ value: base, label: `${name} (${base})` }))}
          {...form.getInputProps("base")}
        />
      )}
      <Radio.Group
        label="Terms"
        {...form.getInputProps("redistribution")}
        onChange={(terms) => {
          form.setFieldValue("redistribution", terms as Redistribution);
          // The end that was filled in is for a licence. The server knows how long a trial takes.
          if (request && terms === "evaluation") form.setFieldValue("expires", "");
        }}
      >
        <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="sm" mt="xs">
          {(Object.keys(TERMS_MEANING) as Redistribution[]).map((terms) => (
            <Radio key={terms} value={terms} label={TERMS[terms]} description={TERMS_MEANING[terms]} />
          ))}
        </SimpleGrid>
      </Radio.Group>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="lg">
        <TextInput
          type="date"
          label="Starts on"
          description="At midnight UTC. Empty: now"
          {...form.getInputProps("starts")}
        />
        <TextInput
          type="date"
          label="Ends on"
          description={`At midnight UTC. Empty: ${isEvaluation ? "after the usual trial" : "no end"}`}
          {...form.getInputProps("expires")}
        />
      </SimpleGrid>
      <ContractFields form={form} />
      {request && (
        <Textarea
          label="Reply"
          description={`Optional: ${request.email} sees it in the console, and in an e-mail if this server sends any.`}
          autosize
          minRows={2}
          maxLength={ACCESS_MESSAGE_MAX_LENGTH}
          {...form.getInputProps("reply")}
        />
      )}
    </FormDialog>
  );
}
