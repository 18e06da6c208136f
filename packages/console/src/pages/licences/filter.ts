import type { LicenceKind, LicenceState } from "@dbdepot/contract/operator/licences";
import { type ListState, parseListState } from "../../components/list-state.ts";
import { TERMS } from "../../components/terms.ts";

export const STATE_NAMES: Record<LicenceState, string> = { live: "Live", upcoming: "Upcoming", ended: "Ended" };

export const KIND_NAMES: Record<LicenceKind, string> = { contract: "All but evaluations", ...TERMS };

/** Days within which a licence ends. */
export const WITHIN_DAYS = [7, 30, 60, 90, 365] as const;

/** The part of the URL of the operators' page after "?". */
export interface LicenceFilter extends ListState {
  state?: LicenceState;
  kind?: LicenceKind;
  /** The family. */
  base?: string;
  within?: (typeof WITHIN_DAYS)[number];
}

export function parseLicenceFilter(search: Record<string, unknown>): LicenceFilter {
  const { state, kind, base } = search;
  const within = WITHIN_DAYS.find((days) => days === Number(search.within));
  return {
    ...parseListState(search),
    ...(isKeyOf(STATE_NAMES, state) && { state }),
    ...(isKeyOf(KIND_NAMES, kind) && { kind }),
    ...(typeof base === "string" && base !== "" && { base }),
    ...(within !== undefined && { within }),
  };
}

function isKeyOf<Key extends string>(names: Record<Key, string>, value: unknown): value is Key {
  return typeof value === "string" && value in names;
}
