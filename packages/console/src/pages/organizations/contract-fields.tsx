import { Select, SimpleGrid, TextInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { useQuery } from "@tanstack/react-query";
import { formatDate } from "../../components/format.ts";
import { allTermsQuery } from "../terms/api.ts";

/** Dates are values of date inputs, such as 2027-01-31, or empty. */
export interface ContractValues {
  expires: string;
  renewsAt: string;
  noticeDueAt: string;
  /** The id of the terms that the customer has to accept. */
  terms: string | null;
}

/** The start of the day in UTC, as the command line reads a date, or null if it is empty. */
export function momentOf(date: string): string | null {
  return date === "" ? null : `${date}T00:00:00Z`;
}

/** The date in UTC, for a date input. */
export function dateOf(moment: string | null): string {
  return moment?.slice(0, 10) ?? "";
}

interface ContractDates extends Pick<ContractValues, "expires" | "renewsAt" | "noticeDueAt"> {
  /** Empty for a licence that starts now. */
  starts: string;
}

/** The problems of a contract's dates by field, as the server would report them. */
export function contractProblems({ starts, expires, renewsAt, noticeDueAt }: ContractDates) {
  const first = starts || new Date().toISOString().slice(0, 10);
  const start = starts ? `starts on ${formatDate(starts)}` : "starts today";
  return {
    ...(expires && expires <= first && { expires: `The licence ${start}, so it has to end after that` }),
    ...(renewsAt && renewsAt <= first && { renewsAt: `The licence ${start}, so it has to renew after that` }),
    ...(renewsAt &&
      noticeDueAt > renewsAt && {
        noticeDueAt: `The contract renews on ${formatDate(renewsAt)}, so notice is due by then`,
      }),
  };
}

/** The dates of the contract, which are reminders only, and its terms if the vendor has any. */
export function ContractFields({ form }: { form: UseFormReturnType<ContractValues> }) {
  const { data: terms = [] } = useQuery(allTermsQuery);
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="lg">
        <TextInput
          type="date"
          label="Contract renews on"
          description="Optional, a reminder only"
          {...form.getInputProps("renewsAt")}
        />
        <TextInput
          type="date"
          label="Notice due by"
          description="Optional, a reminder only"
          {...form.getInputProps("noticeDueAt")}
        />
      </SimpleGrid>
      {terms.length > 0 && (
        <Select
          label="Terms to accept"
          description="Downloads are refused until an admin of the customer accepts them"
          placeholder="None"
          clearable
          searchable
          openOnFocus={false}
          data={terms.map(({ id, title }) => ({ value: id, label: `${title} (${id})` }))}
          {...form.getInputProps("terms")}
        />
      )}
    </>
  );
}
