/** A binary heap of numbers. */
export class MinHeap {
  readonly #heap: number[] = [];
  readonly #compare: (a: number, b: number) => number;

  /** `compare` is negative if `a` comes before `b`. */
  constructor(compare: (a: number, b: number) => number) {
    this.#compare = compare;
  }

  get min(): number | undefined {
    return this.#heap[0];
  }

  push(item: number): void {
    const heap = this.#heap;
    let hole = heap.push(item) - 1;
    while (hole > 0) {
      const parent = (hole - 1) >> 1;
      if (!this.#isLess(item, parent)) break;
      heap[hole] = heap[parent] as number;
      hole = parent;
    }
    heap[hole] = item;
  }

  removeMin(): void {
    const heap = this.#heap;
    const moved = heap.pop();
    if (moved === undefined || heap.length === 0) return;
    let hole = 0;
    for (;;) {
      let child = 2 * hole + 1;
      if (child + 1 < heap.length && this.#isLess(heap[child + 1] as number, child)) child++;
      if (child >= heap.length || this.#isLess(moved, child)) break;
      heap[hole] = heap[child] as number;
      hole = child;
    }
    heap[hole] = moved;
  }

  #isLess(item: number, index: number): boolean {
    return this.#compare(item, this.#heap[index] as number) < 0;
  }
}
