/** How much of everything there is. */
export interface Scale {
  keys: number;
  organizations: number;
  licences: number;
  families: number;
  attempts: number;
}

/** What a young vendor has, and what a large one has: the growth that the service must not feel. */
export const SMALL: Scale = { keys: 1000, organizations: 100, licences: 1000, families: 10, attempts: 10_000 };
export const LARGE: Scale = {
  keys: 1_000_000,
  organizations: 10_000,
  licences: 200_000,
  families: 1000,
  attempts: 10_000_000,
};
/** For a smoke run. */
export const LARGE_QUICK: Scale = {
  keys: 20_000,
  organizations: 1000,
  licences: 20_000,
  families: 100,
  attempts: 100_000,
};

/** For the rows beside bare node:http: every organization holds a licence for each of 100 families. */
export const CATALOGUE: Scale = { keys: 1000, organizations: 100, licences: 10_000, families: 100, attempts: 0 };

export const VERSIONS_PER_FAMILY = 3;
/** The last keys ask for nothing: they are there to be revoked. */
export const KEYS_TO_REVOKE = 500;
