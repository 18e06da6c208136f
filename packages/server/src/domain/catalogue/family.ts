export type Visibility = "public" | "private";

/** A database family. Licences are granted per family. */
export interface Family {
  base: string;
  name: string;
  visibility: Visibility;
  created: Date;
  /** Null unless it is archived: then customers neither see nor download it. */
  archived: Date | null;
  /** Every key with `db.download` may download it, without a licence. */
  open: boolean;
}
