import { SimpleGrid, TextInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";

/** Values of date inputs, such as 2027-01-31, or empty. */
export interface ContractDates {
  expires: string;
  renewsAt: string;
  noticeDueAt: string;
}

/** The start of the day in UTC, as the command line reads a date, or null if it is empty. */
export function momentOf(date: string): string | null {
  return date === "" ? null : `${date}T00:00:00Z`;
}

/** The date in UTC, for a date input. */
export function dateOf(moment: string | null): string {
  return moment?.slice(0, 10) ?? "";
}

/** The dates of the contract, which are reminders only. */
export function ContractDateFields({ form }: { form: UseFormReturnType<ContractDates> }) {
  return (
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
  );
}
