/** Texts that many entries have in common, each held once and known by a number. */
export class Texts {
  readonly #texts: string[] = [];
  readonly #numbers = new Map<string, number>();

  numberOf(text: string): number {
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    const number = this.#texts.push(text) - 1;
    this.#numbers.set(text, number);
    return number;
  }

  /** The number of a text that some entry has. */
  known(text: string): number | undefined {
    return this.#numbers.get(text);
  }

  at(number: number): string {
    return this.#texts[number] as string;
  }
}
