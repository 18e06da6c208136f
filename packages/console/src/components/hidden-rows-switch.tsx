import { Group, Switch } from "@mantine/core";
import { plural } from "./format.ts";

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
