import { CloseButton, Select, type SelectProps, TextInput } from "@mantine/core";
import { type ReactNode, useState } from "react";
import classes from "./filter-bar.module.css";

/** Shows filters side by side, as many as fit. */
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
  /** The placeholder if nothing is selected, such as "All keys". */
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

interface TextFilterProps {
  label: string;
  value: string | undefined;
  placeholder: string;
  onChange: (value: string | undefined) => void;
}

/** Takes effect on Enter, and when the focus moves on. */
export function TextFilter({ label, value, placeholder, onChange }: TextFilterProps) {
  const [text, setText] = useState(value ?? "");
  const [applied, setApplied] = useState(value);
  if (applied !== value) {
    setApplied(value);
    setText(value ?? "");
  }
  const apply = (changed: string) => {
    const next = changed.trim() || undefined;
    if (next !== value) onChange(next);
  };
  return (
    <TextInput
      label={label}
      placeholder={placeholder}
      value={text}
      onChange={({ currentTarget }) => setText(currentTarget.value)}
      onBlur={() => apply(text)}
      onKeyDown={({ key }) => key === "Enter" && apply(text)}
      rightSection={
        text !== "" && (
          <CloseButton
            size="sm"
            aria-label={`Clear ${label.toLowerCase()}`}
            onClick={() => {
              setText("");
              apply("");
            }}
          />
        )
      }
    />
  );
}
