/** Keeps the best of the contestants at hand: a binary heap, since all of a million ranges may be open at once. */
export class Contest {
  readonly #heap: number[] = [];
  readonly #compare: (a: number, b: number) => number;

  /** `compare` is negative where `a` beats `b`. */
  constructor(compare: (a: number, b: number) => number) {
    this.#compare = compare;
  }

  get leader(): number | undefined {
    return this.#heap[0];
  }

  enter(contestant: number): void {
    const heap = this.#heap;
    let hole = heap.push(contestant) - 1;
    while (hole > 0) {
      const parent = (hole - 1) >> 1;
      if (!this.#beats(contestant, parent)) break;
      heap[hole] = heap[parent] as number;
      hole = parent;
    }
    heap[hole] = contestant;
  }

  dropLeader(): void {
    const heap = this.#heap;
    const moved = heap.pop();
    if (moved === undefined || heap.length === 0) return;
    let hole = 0;
    for (;;) {
      let child = 2 * hole + 1;
      if (child + 1 < heap.length && this.#beats(heap[child + 1] as number, child)) child++;
      if (child >= heap.length || this.#beats(moved, child)) break;
      heap[hole] = heap[child] as number;
      hole = child;
    }
    heap[hole] = moved;
  }

  #beats(contestant: number, place: number): boolean {
    return this.#compare(contestant, this.#heap[place] as number) < 0;
  }
}
