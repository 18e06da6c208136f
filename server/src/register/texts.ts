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

  at(number: number): string {
    return this.#texts[number] as string;
  }
}
