import { bitAt, sharedBits, significantBits } from "./packed-addresses.ts";
import type { Segments } from "./segments.ts";
import { wordAt } from "./uint32-list.ts";

/**
 * The binary search tree over some segments, known without being built. A block of
 * addresses is a node exactly if the value changes somewhere inside it; so the address of each
 * change leads down a path of nodes, and a change whose last set bit is bit n is n nodes deep.
 * Nodes are numbered in preorder, which makes every number a matter of counting.
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
    // The path is new from where it leaves the path of the change before.
    const shared = i === 1 ? 0 : Math.min(sharedBits(starts, i - 1, i, width) + 1, depths[i - 1] as number, depth);
    depths[i] = depth;
    nodesUpTo[i] = (nodesUpTo[i - 1] as number) + depth - shared;
  }
  return { segments, nodeCount: nodesUpTo[values.length - 1] ?? 0, depths, nodesUpTo };
}

/** Walks the nodes in their order; `visit` gets the left and the right record of each. */
export class TreeWalk {
  readonly #shape: TreeShape;
  readonly #leaf: (value: number) => number;
  /** Blocks still to visit: depth, and the first and the end of the changes inside. */
  readonly #todo: number[] = [];
  #number: number;

  /** Node numbers start at `firstNumber`; `leaf` gives the record that stands for a value. */
  constructor(shape: TreeShape, firstNumber: number, leaf: (value: number) => number) {
    this.#shape = shape;
    this.#number = firstNumber;
    this.#leaf = leaf;
    if (shape.nodeCount > 0) this.#todo.push(0, 1, shape.segments.values.length);
  }

  /** Visits at most `limit` nodes and says how many it did: none at the end. */
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
    // A change right at the middle is inside neither half.
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

/** Of the changes `start` to `end` inside a block, the first that lies in its upper half. */
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
