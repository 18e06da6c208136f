import type { Sort } from "@dbdepot/contract/operator/queries";
import { Option } from "@dbdepot/terminal/command";

/** The option of every long list. */
export const SEARCH_OPTION = ["--search <words>", "only those that contain all of these words"] as const;

/** The option that sorts a list by one of its columns. */
export function sortOption<const Column extends string>(columns: readonly Column[]) {
  const sorts = columns.flatMap((column): Sort<Column>[] => [column, `-${column}`]);
  return new Option("--sort <field>", "field to sort by; a minus sign in front reverses the order").choices(sorts);
}
