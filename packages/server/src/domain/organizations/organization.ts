/** A customer: the holder of licences and keys. */
export interface Organization {
  id: string;
  name: string;
  created: Date;
  /** Null unless it is archived: then its keys are refused. */
  archived: Date | null;
}

export const ORGANIZATION_NAME_MAX_LENGTH = 200;
