import { Select, type SelectProps } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "./filter-bar.module.css";

/** Filters side by side, as many as fit. */
export function FilterBar({ children }: { children: ReactNode }) {
  return (
    <search className={classes.bar} aria-label="Filters">
      {children}
    </search>
  );
}

interface SelectFilterProps {
  label: string;
  value: string | undefined;
  /** What is shown if nothing is selected, such as "All keys". */
  all: string;
  options: readonly { value: string; label: string }[];
  onChange: (value: string | undefined) => void;
}

export function SelectFilter({ label, value, all, options, onChange }: SelectFilterProps) {
  // A shared link may name something that is not in the list any more, or not yet loaded.
  const isListed = value === undefined || options.some((option) => option.value === value);
  const data: SelectProps["data"] = isListed ? [...options] : [...options, { value, label: value }];
  return (
    <Select
      label={label}
      placeholder={all}
      data={data}
      value={value ?? null}
      onChange={(selected) => onChange(selected ?? undefined)}
      searchable={options.length > 8}
      clearable
      limit={100}
      nothingFoundMessage="Nothing found"
      comboboxProps={{ shadow: "md" }}
    />
  );
}
