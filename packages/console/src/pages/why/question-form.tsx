import type { Format } from "@dbdepot/contract/shared/formats";
import { Autocomplete, Button, Group, Paper, Select, SimpleGrid, Stack, Switch } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQuery } from "@tanstack/react-query";
import { catalogueApi } from "../catalogue/api.ts";
import { keyringOf } from "../keys/keyring.ts";
import { organizationQuery } from "../organizations/api.ts";
import { OrganizationSelect } from "../organizations/organization-select.tsx";
import type { Question } from "./question.ts";

interface QuestionFormProps {
  question: Question;
  onAsk: (question: Question) => void;
}

export function QuestionForm({ question, onAsk }: QuestionFormProps) {
  const { data: versions } = useQuery({ queryKey: ["versions"], queryFn: catalogueApi.versions });
  // The URL may name the organization instead.
  const { data: organization } = useQuery({
    ...organizationQuery(question.org ?? ""),
    enabled: question.org !== undefined,
  });
  const asked = organization?.id;
  const form = useForm({
    initialValues: {
      org: question.org ?? null,
      id: question.id ?? "",
      format: question.format ?? "any",
      key: question.key ?? null,
      sample: question.sample ?? false,
    },
    validate: {
      org: (value) => (value ? null : "Choose an organization"),
      id: (value) => (value.trim() === "" ? "Enter the id of a database" : null),
    },
  });
  const { org } = form.values;
  const selected = org === question.org ? (asked ?? org) : org;
  const keyring = keyringOf(selected ?? "");
  const { data: keys = [] } = useQuery({
    queryKey: keyring.queryKey,
    queryFn: keyring.list,
    enabled: selected !== null,
  });
  const submit = form.onSubmit((values) =>
    onAsk({
      ...(selected && { org: selected }),
      id: values.id.trim(),
      ...(values.format !== "any" && { format: values.format as Format }),
      ...(values.sample && { sample: true }),
      ...(values.key && { key: values.key }),
    }),
  );
  return (
    <Paper p="lg">
      <form onSubmit={submit} noValidate>
        <Stack gap="lg">
          <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="lg" verticalSpacing="md">
            <OrganizationSelect
              label="Organization"
              placeholder="Choose an organization"
              error={form.errors.org}
              value={selected}
              onChange={(value) => form.setValues({ org: value, key: null })}
            />
            <Autocomplete
              label="Database"
              placeholder="vpn_ip_v1"
              limit={100}
              data={versions?.versions.map(({ id }) => id) ?? []}
              {...form.getInputProps("id")}
            />
            <Select
              label="Key"
              placeholder={org ? "Any key that works" : "Choose an organization first"}
              clearable
              searchable
              limit={100}
              disabled={!org}
              data={keys.map(({ id, name, key_prefix }) => ({ value: id, label: `${name} (${key_prefix})` }))}
              {...form.getInputProps("key")}
            />
            <Select
              label="Format"
              allowDeselect={false}
              data={[
                { value: "any", label: "Any" },
                { value: "csvgz", label: "csvgz" },
                { value: "mmdb", label: "mmdb" },
              ]}
              {...form.getInputProps("format")}
            />
          </SimpleGrid>
          <Group justify="space-between">
            <Switch
              label="The sample instead of the full file"
              {...form.getInputProps("sample", { type: "checkbox" })}
            />
            <Button type="submit">Explain</Button>
          </Group>
        </Stack>
      </form>
    </Paper>
  );
}
