import { Group, Switch, TextInput } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import { plural } from "./format.ts";

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

interface HiddenRowsSwitchProps {
  /** How many rows the list leaves out by default. The switch is absent if there are none. */
  count: number;
  noun: string;
  checked: boolean;
  onChange: (checked: boolean) => void;
}

/** Also shows rows that are no longer in use, such as revoked keys. */
export function HiddenRowsSwitch({ count, noun, checked, onChange }: HiddenRowsSwitchProps) {
  if (count === 0) return null;
  return (
    <Group justify="flex-end">
      <Switch
        label={`Show ${plural(count, noun)}`}
        checked={checked}
        onChange={({ currentTarget }) => onChange(currentTarget.checked)}
      />
    </Group>
  );
}
