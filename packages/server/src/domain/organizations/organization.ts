import type { Limits } from "../limits/limits.ts";

/** A customer: the holder of licences and keys. */
export interface Organization {
  id: string;
  name: string;
  created: Date;
  /** Null unless it is archived: then its keys are refused. */
  archived: Date | null;
  /** Its id in the vendor's other systems, if it has one there. Unique. */
  externalId: string | null;
  limits: Limits;
  /** The origin of its links, if the vendor's CDN has several. Null: the nearest one that is known, or the first. */
  linkRegion: string | null;
}

export const ORGANIZATION_NAME_MAX_LENGTH = 200;
export const EXTERNAL_ID_MAX_LENGTH = 100;
