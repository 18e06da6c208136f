/** The number of rows in each table. */
export interface Scale {
  keys: number;
  organizations: number;
  licences: number;
  families: number;
  attempts: number;
}

export const VERSIONS_PER_FAMILY = 3;

/** Every organization has a licence for each family. */
export const CATALOGUE: Scale = { keys: 1000, organizations: 100, licences: 10_000, families: 100, attempts: 0 };

export const SMALL: Scale = { keys: 1000, organizations: 100, licences: 1000, families: 10, attempts: 10_000 };

export function largeScale(isQuick: boolean): Scale {
  return isQuick
    ? { keys: 20_000, organizations: 1000, licences: 20_000, families: 100, attempts: 20_000 }
    : { keys: 1_000_000, organizations: 10_000, licences: 200_000, families: 1000, attempts: 1_000_000 };
}

/** Little data except for a long history. */
export function longHistory(isQuick: boolean): Scale {
  return { ...SMALL, attempts: isQuick ? 100_000 : 10_000_000 };
}
