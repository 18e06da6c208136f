import type { Licence } from "../domain/licences/licence.ts";

/** All licences, by organization and then by family. Licences are never deleted, only ended. */
export class LicenceIndex {
  readonly #byOrganization = new Map<string, Map<string, readonly Licence[]>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Counts licences one by one, so it is not for requests. */
  count(counts: (licence: Licence) => boolean): number {
    let found = 0;
    for (const byFamily of this.#byOrganization.values()) {
      for (const licences of byFamily.values()) found += licences.filter(counts).length;
    }
    return found;
  }

  get(organizationId: string, base: string): readonly Licence[] {
    return this.#byOrganization.get(organizationId)?.get(base) ?? [];
  }

  /** Adds a licence, or replaces the one with the same id. */
  set(licence: Licence): void {
    const { id, organizationId, base } = licence;
    let byFamily = this.#byOrganization.get(organizationId);
    if (!byFamily) {
      byFamily = new Map();
      this.#byOrganization.set(organizationId, byFamily);
    }
    const before = byFamily.get(base) ?? [];
    const others = before.filter((other) => other.id !== id);
    if (others.length === before.length) this.#size += 1;
    // Spreading would leave room for 16 more in each of the arrays.
    byFamily.set(base, others.concat(licence));
  }
}
