import fc from "fast-check";
import type { Licence } from "../../../src/domain/licences/licence.ts";
import { newId } from "../../../src/platform/primitives/ids.ts";

/** Midnight of day n, counted from 1 January 2027. */
export function day(n: number): Date {
  return new Date(Date.UTC(2027, 0, 1 + n));
}

/** A licence with the given term and defaults for the rest. */
export function licence(term: { starts: Date; expires: Date | null } & Partial<Licence>): Licence {
  return {
    id: newId(day(0)),
    organizationId: "0193a000-0000-7000-8000-000000000001",
    base: "vpn_ip",
    redistribution: "internal",
    created: day(0),
    renewsAt: null,
    noticeDueAt: null,
    externalId: null,
    termsId: null,
    ...term,
  };
}

const DAYS = 6;

/**
 * Uses few days, so that licences often overlap, touch and share their boundaries.
 * A licence of length 0 was ended before it began.
 */
const anyLicence: fc.Arbitrary<Licence> = fc
  .record({
    starts: fc.integer({ min: 0, max: DAYS }),
    length: fc.option(fc.integer({ min: 0, max: DAYS })),
    redistribution: fc.constantFrom("evaluation" as const, "internal" as const, "redistribute" as const),
    termsId: fc.constantFrom(null, "data-licence@1", "data-licence@2"),
  })
  .map(({ starts, length, ...rest }) =>
    licence({ starts: day(starts), expires: length === null ? null : day(starts + length), ...rest }),
  );

export const anyLicences = fc.array(anyLicence, { maxLength: 6 });

/** The terms that an organization has accepted. */
export const anyAcceptedTerms = fc
  .subarray(["data-licence@1", "data-licence@2"])
  .map((ids): ReadonlySet<string> => new Set(ids));

/** The boundaries of licences, a millisecond before and after them, and times before and after all licences. */
export const anyInstant = fc
  .tuple(fc.integer({ min: -1, max: 2 * DAYS + 1 }), fc.constantFrom(-1, 0, 1))
  .map(([n, ms]) => new Date(day(n).getTime() + ms));
