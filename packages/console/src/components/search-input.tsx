import { TextInput } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";

interface SearchInputProps {
  label: string;
  placeholder: string;
  value: string | undefined;
  onChange: (value: string) => void;
}

/** Searches a list while someone types. */
export function SearchInput({ label, placeholder, value = "", onChange }: SearchInputProps) {
  return (
    <TextInput
      aria-label={label}
      placeholder={placeholder}
      leftSection={<IconSearch size={16} stroke={1.6} />}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
      style={{ flex: "1 1 240px" }}
    />
  );
}
