import { SegmentedControl } from "@mantine/core";

interface VersionSwitchProps {
  versions: readonly { version: number }[];
  shown: number;
  onChange: (version: number) => void;
}

/** Chooses one of several versions of a family. */
export function VersionSwitch({ versions, shown, onChange }: VersionSwitchProps) {
  return (
    <SegmentedControl
      aria-label="Version"
      value={String(shown)}
      onChange={(value) => onChange(Number(value))}
      data={versions.map(({ version }) => ({ value: String(version), label: `Version ${version}` }))}
      style={{ alignSelf: "flex-start" }}
    />
  );
}
