import { crc32 } from "node:zlib";
import { type Scale, VERSIONS_PER_FAMILY } from "./scale.ts";

export const CREATED = "2025-01-01T00:00:00.000Z";

const KINDS = { organization: 1, build: 2, licence: 3, key: 4 } as const;
const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** An id without its last group, which is a number. */
export function idPrefix(kind: keyof typeof KINDS): string {
  return `0193a000-0000-700${KINDS[kind]}-8000-`;
}

export function idOf(kind: keyof typeof KINDS, number: number): string {
  return idPrefix(kind) + hex(number, 12);
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

export function organizationOfKey({ organizations }: Scale, key: number): number {
  return key % organizations;
}

/** The family of an organization's licence. Every organization has the same number of licences. */
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

/** The secret of the key with this number: always the same, with the format and checksum of a real one. */
export function keyText(number: number): string {
  const body = `${keyPrefix(number)}_${base62(number * 31, 16)}benchbenchbench0`;
  return body + base62(crc32(body), 6);
}

export function keyPrefix(number: number): string {
  return `dbd_${base62(number, 8)}`;
}

function base62(number: number, length: number): string {
  let text = "";
  for (let rest = number; rest > 0; rest = Math.floor(rest / 62)) text = BASE62.charAt(rest % 62) + text;
  return text.padStart(length, "0");
}
