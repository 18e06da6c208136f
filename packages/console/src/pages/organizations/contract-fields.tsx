import { Select, SimpleGrid, TextInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { useQuery } from "@tanstack/react-query";
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
