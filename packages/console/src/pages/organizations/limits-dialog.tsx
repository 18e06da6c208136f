import type { OperatorOrganization, UpdateOrganizationRequest } from "@dbdepot/contract/operator/organizations";
import { NumberInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { FormDialog } from "../../components/form-dialog.tsx";
import { showSuccess } from "../../components/notices.ts";
import { LIMIT_LABELS } from "../limits/limit-bars.tsx";
import { ORGANIZATIONS_KEY, organizationsApi } from "./api.ts";

const GIGABYTE = 1e9;

/** An empty field: no limit. */
type Amount = number | string;

export function LimitsDialog({ organization, onClose }: { organization: OperatorOrganization; onClose: () => void }) {
  const { id, name, limits } = organization;
  const queryClient = useQueryClient();
  const form = useForm<Record<"requests" | "downloads" | "gigabytes" | "streams", Amount>>({
    initialValues: {
      requests: limits.requests_per_minute ?? "",
      downloads: limits.downloads_per_day ?? "",
      gigabytes: limits.bytes_per_month === null ? "" : limits.bytes_per_month / GIGABYTE,
      streams: limits.parallel_streams ?? "",
    },
  });
  const update = useMutation({
    mutationFn: (change: UpdateOrganizationRequest) => organizationsApi.update(id, change),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ORGANIZATIONS_KEY });
      showSuccess(`The limits of ${name} have been changed.`);
      onClose();
    },
  });
  const submit = form.onSubmit(({ requests, downloads, gigabytes, streams }) =>
    update.mutate({
      limits: {
        requests_per_minute: limitOf(requests),
        downloads_per_day: limitOf(downloads),
        bytes_per_month: limitOf(gigabytes, GIGABYTE),
        parallel_streams: limitOf(streams),
      },
    }),
  );
  const count = { min: 1, max: 1e12, allowDecimal: false, thousandSeparator: true, placeholder: "No limit" };
  return (
    <FormDialog
      title={`Limits of ${name}`}
      submitLabel="Save"
      isDisabled={!form.isDirty()}
      mutation={update}
      onSubmit={submit}
      onClose={onClose}
    >
      <NumberInput
        label={LIMIT_LABELS.downloads_per_day}
        description="Granted downloads, in UTC. Samples don't count"
        data-autofocus
        {...count}
        {...form.getInputProps("downloads")}
      />
      <NumberInput
        label={LIMIT_LABELS.bytes_per_month}
        description="Size of the granted files, in UTC"
        {...count}
        allowDecimal
        max={1e6}
        min={1e-9}
        decimalScale={9}
        suffix=" GB"
        {...form.getInputProps("gigabytes")}
      />
      <NumberInput
        label={LIMIT_LABELS.requests_per_minute}
        description="For all its keys together, in each process of the service. Polling for new builds doesn't count"
        {...count}
        {...form.getInputProps("requests")}
      />
      <NumberInput
        label={LIMIT_LABELS.parallel_streams}
        description="Files that the service itself sends at the same time, in each process"
        {...count}
        {...form.getInputProps("streams")}
      />
    </FormDialog>
  );
}

function limitOf(amount: Amount, unit = 1): number | null {
  return amount === "" ? null : Math.round(Number(amount) * unit);
}
