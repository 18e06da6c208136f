export const VISIBILITIES = ["public", "private"] as const;
export type Visibility = (typeof VISIBILITIES)[number];

/** What a licence is held against. */
export interface Family {
  base: string;
  name: string;
  visibility: Visibility;
  created: Date;
}
