/** A clock that moves only when a test advances it. */
export class TestClock {
  #now: number;

  constructor(start = new Date()) {
    this.#now = start.getTime();
  }

  readonly now = (): Date => new Date(this.#now);

  advance(text: `${number} ${"seconds" | "days"}`): void {
    const [amount, unit] = text.split(" ");
    this.#now += Number(amount) * (unit === "days" ? 86_400_000 : 1000);
  }
}
