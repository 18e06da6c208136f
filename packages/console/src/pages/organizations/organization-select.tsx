import { Select } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { organizationsApi } from "./api.ts";
import { useOrganizationName } from "./organization-name.tsx";

const SHOWN = 50;
const TYPING_MS = 200;

interface OrganizationSelectProps {
  label: string;
  description?: string;
  placeholder: string;
  /** An id. */
  value: string | null;
  onChange: (id: string | null) => void;
  error?: ReactNode;
  clearable?: boolean;
}

/** Finds an organization by its name. The server searches, because there may be thousands. */
export function OrganizationSelect({ value, onChange, ...props }: OrganizationSelectProps) {
  const name = useOrganizationName(value ?? undefined);
  const [typed, setTyped] = useState("");
  // The name of the selected organization is not a search for others.
  const [search] = useDebouncedValue(typed === name ? "" : typed.trim(), TYPING_MS);
  const { data } = useQuery({
    queryKey: ["organizations", "search", search],
    queryFn: () => organizationsApi.list.load(organizationsApi.list.url({ search, limit: SHOWN })),
    placeholderData: keepPreviousData,
  });
  const found = (data?.items ?? []).map((organization) => ({ value: organization.id, label: organization.name }));
  const isListed = value === null || found.some((option) => option.value === value);
  return (
    <Select
      {...props}
      data={isListed ? found : [{ value, label: name }, ...found]}
      value={value}
      onChange={onChange}
      searchable
      searchValue={typed}
      onSearchChange={setTyped}
      filter={({ options }) => options}
      nothingFoundMessage="Nothing found"
      comboboxProps={{ shadow: "md" }}
    />
  );
}
