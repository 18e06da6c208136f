import type { Format } from "@dbdepot/contract/shared/formats";
import type { DatabaseMetadata } from "@dbdepot/contract/v2/metadata";
import { FactCards } from "../../components/fact-cards.tsx";
import { formatBytes, formatCount, formatDate } from "../../components/format.ts";
import { FILE_NAMES } from "./formats.ts";

export function BuildFacts({ build }: { build: DatabaseMetadata }) {
  const sizes = Object.entries(build.size).map(([format, bytes]) => [FILE_NAMES[format as Format], formatBytes(bytes)]);
  return (
    <FactCards
      facts={{
        Updated: formatDate(build.updated),
        Rows: formatCount(build.entries),
        ...Object.fromEntries(sizes),
        ...(build.update_freq && { "New builds": build.update_freq }),
      }}
    />
  );
}
