import { Select, TextInput } from "@mantine/core";
import { boundsOf, DEFAULT_DAYS, PERIOD_DAYS, type Period, parsePeriod, today } from "./period.ts";

interface PeriodFilterProps {
  value: Period;
  onChange: (period: Period) => void;
}

const CUSTOM = "custom";
const OPTIONS = [
  ...PERIOD_DAYS.map((days) => ({ value: String(days), label: `Last ${days} days` })),
  { value: CUSTOM, label: "From … to …" },
];

/** Selects the days that are shown, in UTC as in the chart. */
export function PeriodFilter({ value, onChange }: PeriodFilterProps) {
  const isCustom = value.from !== undefined;
  const select = (selected: string | null) => {
    onChange(
      selected === CUSTOM ? { from: boundsOf(value).from, to: today() } : parsePeriod({ days: Number(selected) }),
    );
  };
  return (
    <>
      <Select
        label="Period"
        data={OPTIONS}
        value={isCustom ? CUSTOM : String(value.days ?? DEFAULT_DAYS)}
        onChange={select}
        allowDeselect={false}
        comboboxProps={{ shadow: "md" }}
      />
      {isCustom && (
        <>
          <DateInput
            label="From (UTC)"
            value={value.from}
            max={value.to}
            onChange={(from) => onChange({ ...value, from })}
          />
          <DateInput label="To (UTC)" value={value.to} min={value.from} onChange={(to) => onChange({ ...value, to })} />
        </>
      )}
    </>
  );
}

interface DateInputProps {
  label: string;
  value: string | undefined;
  min?: string | undefined;
  max?: string | undefined;
  onChange: (date: string) => void;
}

function DateInput({ onChange, ...props }: DateInputProps) {
  return (
    <TextInput
      type="date"
      {...props}
      onChange={({ currentTarget }) =>
        currentTarget.validity.valid && currentTarget.value && onChange(currentTarget.value)
      }
    />
  );
}
