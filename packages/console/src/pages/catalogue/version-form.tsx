import type { ListedVersion, OperatorFamily } from "@dbdepot/contract/operator/catalogue";
import type { Format } from "@dbdepot/contract/shared/formats";
import { Checkbox, NumberInput, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { FormDialog } from "../../components/form-dialog.tsx";
import { showSuccess } from "../../components/notices.ts";
import { FILE_NAMES } from "../databases/formats.ts";
import { catalogueApi, catalogueQuery } from "./api.ts";

interface VersionFormProps {
  family: OperatorFamily;
  /** The number of the new version. Ignored when an existing one is edited. */
  nextNumber: number;
  /** Undefined to add one. */
  edited: ListedVersion | undefined;
  onClose: () => void;
  onSaved: (number: number) => void;
}

/** A version is frozen: once it exists, only its summary, its recompression and its tables can be changed. */
export function VersionForm({ family, nextNumber, edited, onClose, onSaved }: VersionFormProps) {
  const queryClient = useQueryClient();
  // Databases keyed by provider id contain no networks.
  const isWithoutMmdb = family.base.endsWith("_provider");
  const form = useForm({
    initialValues: {
      number: edited?.version ?? nextNumber,
      summary: edited?.summary ?? "",
      formats: edited?.formats ?? ((isWithoutMmdb ? ["csvgz"] : ["csvgz", "mmdb"]) as Format[]),
      recompress: edited?.recompress ?? false,
      tables: edited?.tables ?? false,
    },
    validate: {
      number: (value) => (Number.isInteger(value) && value > 0 ? null : "Enter a whole number from 1"),
      summary: (value) => (value.trim() === "" ? "Enter one line on what it contains" : null),
      formats: (value) => (value.length === 0 ? "Choose at least one" : null),
    },
  });
  const save = useMutation({
    mutationFn: ({ number, summary, formats, recompress, tables: wanted }: typeof form.values) => {
      const change = { summary: summary.trim(), recompress, tables: wanted && formats.includes("csvgz") };
      return edited
        ? catalogueApi.updateVersion(edited.id, change)
        : catalogueApi.addVersion({ id: `${family.base}_v${number}`, formats, ...change });
    },
    onSuccess: async ({ id, version }) => {
      await queryClient.invalidateQueries({ queryKey: catalogueQuery.queryKey });
      showSuccess(edited ? `${id} has been changed.` : `${id} has been added. Publish its first build next.`);
      onClose();
      onSaved(version);
    },
  });
  const frozen = edited ? "Frozen: customers' programs rely on it." : undefined;
  return (
    <FormDialog
      title={edited ? `Edit ${edited.id}` : `Add a version of ${family.name}`}
      submitLabel={edited ? "Save" : "Add version"}
      mutation={save}
      onSubmit={form.onSubmit((values) => save.mutate(values))}
      onClose={onClose}
    >
      {!edited && (
        <Text c="dimmed">
          A version is a promise: its id, its formats and the columns of its builds never change. Add a new version for
          other columns; the old one stays available.
        </Text>
      )}
      <NumberInput
        label="Version number"
        description={frozen ?? `Its id will be ${family.base}_v${form.values.number}`}
        min={1}
        max={999_999_999}
        allowDecimal={false}
        disabled={edited !== undefined}
        {...form.getInputProps("number")}
      />
      <TextInput
        label="Summary"
        description="One line on what it contains, for customers"
        maxLength={500}
        data-autofocus
        {...form.getInputProps("summary")}
      />
      <Checkbox.Group label="Formats" description={frozen} {...form.getInputProps("formats")}>
        <Stack gap="xs" mt="xs">
          <Checkbox value="csvgz" label={FILE_NAMES.csvgz} disabled={edited !== undefined} />
          <Checkbox
            value="mmdb"
            label={FILE_NAMES.mmdb}
            description={isWithoutMmdb && "Not possible: it is keyed by provider id and has no addresses"}
            disabled={edited !== undefined || isWithoutMmdb}
          />
        </Stack>
      </Checkbox.Group>
      <Checkbox
        label="Compress csv.gz files again"
        description="With the same rows, so that customers get patches even if gzip or pigz compressed them"
        {...form.getInputProps("recompress", { type: "checkbox" })}
      />
      <Checkbox
        label="Share as a table"
        description="Each build is also written as Parquet, for pandas, Spark, DuckDB and other readers of Delta Sharing"
        disabled={!form.values.formats.includes("csvgz")}
        {...form.getInputProps("tables", { type: "checkbox" })}
      />
    </FormDialog>
  );
}
