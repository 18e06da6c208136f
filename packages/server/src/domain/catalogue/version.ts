import type { Format } from "@dbdepot/contract/shared/formats";

/** A frozen, numbered version of a family: `<base>_v<number>`. */
export interface Version {
  id: string;
  base: string;
  number: number;
  summary: string;
  formats: Format[];
  /** Null if no build is published. */
  currentBuildId: string | null;
  created: Date;
  /** Null unless it is archived: then customers neither see nor download it. */
  archived: Date | null;
  /** Whether its csv.gz files are compressed again when they are published, so that they get patches. */
  recompress: boolean;
  /** Whether its builds are shared as tables, for which they are written as Parquet. */
  tables: boolean;
}
