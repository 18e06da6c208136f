import { Select, type SelectProps } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { allTermsQuery } from "./queries.ts";

/** Chooses the terms that a licence requires. Not shown to vendors that have none. */
export function TermsSelect(props: Omit<SelectProps, "data">) {
  const { data: all = [] } = useQuery(allTermsQuery);
  if (all.length === 0) return null;
  return (
    <Select
      label="Terms to accept"
      description="Downloads are refused until an admin of the customer accepts them"
      placeholder="None"
      clearable
      searchable
      openOnFocus={false}
      data={all.map(({ id, title }) => ({ value: id, label: `${title} (${id})` }))}
      {...props}
    />
  );
}
