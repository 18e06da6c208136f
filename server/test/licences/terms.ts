import fc from "fast-check";
import type { Licence } from "../../src/licences/licence.ts";
import { newId } from "../../src/primitives/ids.ts";

/** Midnight of the n-th day of the tests' own calendar. */
export function day(n: number): Date {
  return new Date(Date.UTC(2027, 0, 1 + n));
}

/** A licence of which only the term matters, unless more is said. */
export function licence(term: { starts: Date; expires: Date | null } & Partial<Licence>): Licence {
  return {
    id: newId(day(0)),
    organizationId: "0193a000-0000-7000-8000-000000000001",
    base: "vpn_ip",
    redistribution: "internal",
    created: day(0),
    ...term,
  };
}

const DAYS = 6;

/**
 * Days are few, so that licences overlap, touch and share their boundaries often.
 * One of no length was ended before it began.
 */
const anyLicence: fc.Arbitrary<Licence> = fc
  .record({
    starts: fc.integer({ min: 0, max: DAYS }),
    length: fc.option(fc.integer({ min: 0, max: DAYS })),
    redistribution: fc.constantFrom("evaluation" as const, "internal" as const, "redistribute" as const),
  })
  .map(({ starts, length, redistribution }) =>
    licence({ starts: day(starts), expires: length === null ? null : day(starts + length), redistribution }),
  );

export const anyLicences = fc.array(anyLicence, { maxLength: 6 });

/** On the boundaries of licences, a millisecond beside them, and before and after them all. */
export const anyInstant = fc
  .tuple(fc.integer({ min: -1, max: 2 * DAYS + 1 }), fc.constantFrom(-1, 0, 1))
  .map(([n, ms]) => new Date(day(n).getTime() + ms));
