import { type Scale, VERSIONS_PER_FAMILY } from "./scale.ts";

/** What stands where the time stands in ids: the start of the year 2025. */
export const BEGAN_MS = Date.UTC(2025, 0, 1);

const KINDS = { organization: 1, build: 2, licence: 3, key: 4 } as const;

export function idOf(kind: keyof typeof KINDS, number: number): string {
  return `${idTime(BEGAN_MS)}-700${KINDS[kind]}-8000-${hex(number, 12)}`;
}

/** The first two groups of a UUID of version 7. */
export function idTime(ms: number): string {
  const text = hex(ms, 12);
  return `${text.slice(0, 8)}-${text.slice(8)}`;
}

export function hex(number: number, length: number): string {
  return number.toString(16).padStart(length, "0");
}

export function baseOf(family: number): string {
  return `net${String(family).padStart(4, "0")}_ip`;
}

export function databaseIdOf(family: number, version: number): string {
  return `${baseOf(family)}_v${version}`;
}

export function organizationOfKey(scale: Scale, key: number): number {
  return key % scale.organizations;
}

/** The families that an organization holds licences for: its share, from its own place on. */
export function licensedFamily(scale: Scale, organization: number, licence: number): number {
  const share = licencesPerOrganization(scale);
  return (organization * share + (licence % share)) % scale.families;
}

export function licencesPerOrganization({ licences, organizations }: Scale): number {
  return licences / organizations;
}

export function versionNumber(index: number): number {
  return 1 + (index % VERSIONS_PER_FAMILY);
}
