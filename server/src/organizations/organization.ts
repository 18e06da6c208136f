/** Who holds licences and keys. */
export interface Organization {
  id: string;
  name: string;
  created: Date;
}

export const ORGANIZATION_NAME_MAX_LENGTH = 200;
