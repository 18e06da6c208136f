import type { Format } from "@dbdepot/contract/shared/formats";

/** The question, as the part of the URL after "?". */
export interface Question {
  org?: string;
  id?: string;
  format?: Format;
  sample?: boolean;
  key?: string;
}

export function parseQuestion({ org, id, format, sample, key }: Record<string, unknown>): Question {
  return {
    ...(typeof org === "string" && { org }),
    ...(typeof id === "string" && { id }),
    ...((format === "csvgz" || format === "mmdb") && { format }),
    ...(sample === true && { sample }),
    ...(typeof key === "string" && { key }),
  };
}
