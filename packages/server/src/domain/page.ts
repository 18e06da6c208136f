import type { Sort } from "@dbdepot/contract/operator/queries";

/** The place where a page begins: after the item with this id, which has this value in the column that the list is sorted by. */
export interface Position {
  value: string | number;
  id: string;
}

/** A part of a list. Without a limit, it is the whole list. */
export interface PageRequest<Column extends string> {
  /** Words that an item must contain, each in any of the searched fields. */
  search?: string | undefined;
  sort?: Sort<Column> | undefined;
  after?: Position | undefined;
  limit?: number | undefined;
  /** Whether to count the items of all pages. */
  counts?: boolean;
}

export interface Page<T> {
  items: T[];
  /** The position of the last item, if more items follow. */
  next: Position | undefined;
  /** The number of items on all pages, if it was asked for. */
  total?: number;
}
