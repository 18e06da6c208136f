import type { FileKind, Format } from "@dbdepot/contract/shared/formats";
import { Text } from "@mantine/core";
import { changeInPercent, formatBytes, formatCount } from "../../components/format.ts";
import type { Column } from "../../components/table-layout.ts";
import { FILE_NAMES } from "./formats.ts";

/** A build as customers or operators see it. */
interface Measured {
  entries: number;
  files: { [Kind in FileKind]?: { size_bytes: number } };
}

/** Columns for the rows of a build and the size of its files, each with its change from the build before. */
export function amountColumns<T extends Measured>(
  formats: readonly Format[],
  beforeOf: (build: T) => T | undefined,
): Column<T>[] {
  return [
    {
      heading: "Rows",
      w: 160,
      ta: "right",
      cell: (build) => <Amount value={build.entries} before={beforeOf(build)?.entries} format={formatCount} />,
    },
    ...formats.map(
      (format): Column<T> => ({
        heading: FILE_NAMES[format],
        w: 160,
        ta: "right",
        cell: (build) => (
          <Amount
            value={build.files[format]?.size_bytes}
            before={beforeOf(build)?.files[format]?.size_bytes}
            format={formatBytes}
          />
        ),
      }),
    ),
  ];
}

interface AmountProps {
  value: number | undefined;
  before: number | undefined;
  format: (value: number) => string;
}

function Amount({ value, before, format }: AmountProps) {
  if (value === undefined) return <Text c="dimmed">–</Text>;
  return (
    <>
      {format(value)}
      {before !== undefined && (
        <Text size="sm" c="dimmed" style={{ whiteSpace: "nowrap" }}>
          {changeOf(value, before, format)}
        </Text>
      )}
    </>
  );
}

/** "+20 (+1.2 %)" */
function changeOf(value: number, before: number, format: (value: number) => string): string {
  const percent = changeInPercent(value, before);
  if (percent === undefined) return "no change";
  return `${value > before ? "+" : "−"}${format(Math.abs(value - before))} (${percent})`;
}
