import { bitAt, sharedBits, significantBits } from "./packed-addresses.ts";
import type { Segments } from "./segments.ts";
import { wordAt } from "./uint32-list.ts";

/**
 * The shape of the binary search tree over some segments, computed without building the tree. A block of addresses is a
 * node exactly if the value changes inside it. The address where it changes therefore determines a path of nodes, whose
 * depth is the index of the address's last set bit. Nodes are numbered in preorder, so their numbers can be counted.
 */
export interface TreeShape {
  segments: Segments;
  nodeCount: number;
  /** For each segment: how many nodes lead to its start. */
  depths: Uint8Array;
  /** For each segment: how many nodes lead to its start or to one before it. */
  nodesUpTo: Float64Array;
}

export function shapeTree(segments: Segments): TreeShape {
  const { starts, values, wordsPerAddress: width } = segments;
  const depths = new Uint8Array(values.length);
  const nodesUpTo = new Float64Array(values.length);
  for (let i = 1; i < values.length; i++) {
    const depth = significantBits(starts, i, width);
    // Nodes are new from where this path leaves the previous one.
    const shared = i === 1 ? 0 : Math.min(sharedBits(starts, i - 1, i, width) + 1, depths[i - 1] as number, depth);
    depths[i] = depth;
    nodesUpTo[i] = (nodesUpTo[i - 1] as number) + depth - shared;
  }
  return { segments, nodeCount: nodesUpTo[values.length - 1] ?? 0, depths, nodesUpTo };
}

/** Visits the nodes in order; `visit` gets the left and the right record of each. */
export class TreeWalk {
  readonly #shape: TreeShape;
  readonly #leaf: (value: number) => number;
  /** Blocks still to visit, as three numbers each: depth, and the start and end of the changes inside. */
  readonly #todo: number[] = [];
  #number: number;

  /** Node numbers start at `firstNumber`; `leaf` returns the record of a value. */
  constructor(shape: TreeShape, firstNumber: number, leaf: (value: number) => number) {
    this.#shape = shape;
    this.#number = firstNumber;
    this.#leaf = leaf;
    if (shape.nodeCount > 0) this.#todo.push(0, 1, shape.segments.values.length);
  }

  /** Visits at most `limit` nodes and returns how many it visited: 0 at the end. */
  visit(limit: number, visitor: (left: number, right: number) => void): number {
    const todo = this.#todo;
    let visited = 0;
    while (visited < limit && todo.length > 0) {
      const end = todo.pop() as number;
      const start = todo.pop() as number;
      const depth = todo.pop() as number;
      this.#visitBlock(depth, start, end, visitor);
      visited++;
    }
    return visited;
  }

  #visitBlock(depth: number, start: number, end: number, visitor: (left: number, right: number) => void): void {
    const { segments, depths, nodesUpTo } = this.#shape;
    const half = firstInUpperHalf(segments, depth, start, end);
    // A change exactly in the middle is inside neither half.
    const upperStart = half < end && depths[half] === depth + 1 ? half + 1 : half;
    const leftNumber = this.#number + 1;
    let left: number;
    let rightNumber = leftNumber;
    if (start < half) {
      left = leftNumber;
      rightNumber += (depths[start] as number) - (depth + 1);
      rightNumber += (nodesUpTo[half - 1] as number) - (nodesUpTo[start] as number);
    } else {
      left = this.#leaf(wordAt(segments.values, start - 1));
    }
    visitor(left, upperStart < end ? rightNumber : this.#leaf(wordAt(segments.values, end - 1)));
    this.#number++;
    if (upperStart < end) this.#todo.push(depth + 1, upperStart, end);
    if (start < half) this.#todo.push(depth + 1, start, half);
  }
}

/** Among the changes `start` to `end` inside a block, finds the first in its upper half. */
function firstInUpperHalf({ starts, wordsPerAddress: width }: Segments, depth: number, start: number, end: number) {
  let low = start;
  let high = end;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (bitAt(starts, middle, width, depth) === 1) high = middle;
    else low = middle + 1;
  }
  return low;
}
