import type { ByteList } from "@dbdepot/formats/mmdb/byte-list";
import { SectionWriter } from "../sections.ts";
import { appendVarint, zigzag } from "../varint.ts";
import { predictNew, predictReference, RECORDS, TREE_PARTS } from "./apply-tree.ts";
import type { MappedFile } from "./match-files.ts";
import { appendRun, type NodePairs, PAIR_PARTS } from "./node-pairs.ts";
import type { Projection } from "./projection.ts";
import { NOTHING, offsetOf } from "./tree-reader.ts";

/** Writes the pairs of nodes, and adds them to `pairs`. */
export function* pairSections(matches: Int32Array, pairs: NodePairs): Generator<Buffer> {
  const section = new SectionWriter(PAIR_PARTS);
  let baseAt = 0;
  for (let start = 0; start < matches.length; ) {
    const base = matches[start] as number;
    let end = start + 1;
    while (end < matches.length && matches[end] === (base < 0 ? -1 : base + end - start)) end++;
    baseAt = appendRun(section.parts[0] as ByteList, { length: end - start, base }, baseAt);
    pairs.add(end - start, base);
    section.addItems(1);
    if (section.isFull) yield section.take();
    start = end;
  }
  yield* section.end();
}

/** Writes the records of the result's tree that cannot be predicted. `known` is the one of the `ValueDiffer`. */
export function* treeSections(
  base: MappedFile,
  result: MappedFile,
  { pairs, projection, known }: { pairs: NodePairs; projection: Projection; known: Uint32Array },
): Generator<Buffer> {
  const section = new SectionWriter(TREE_PARTS);
  const [misses, codes] = section.parts as [ByteList, ByteList];
  let hits = 0;
  let lastOffset = 0;
  for (let node = 0; node < result.tree.nodeCount; node++) {
    const pair = pairs.next();
    for (let side = 0; side < 2; side++) {
      const actual = result.tree.reference(node, side);
      const predicted =
        pair < 0 ? predictNew(node, side) : predictReference(base.tree.reference(pair, side), pairs, projection);
      if (predicted === actual) {
        hits++;
        continue;
      }
      appendVarint(misses, hits);
      hits = 0;
      appendRecord(node, actual);
    }
    section.addItems(1);
    if (!section.isFull) continue;
    hits = 0;
    yield section.take();
  }
  yield* section.end();

  function appendRecord(node: number, actual: number): void {
    appendVarint(codes, actual >= 0 ? zigzag(actual - node) * 4 + RECORDS.node : valueCode(actual));
  }

  function valueCode(actual: number): number {
    if (actual === NOTHING) return RECORDS.nothing;
    const offset = offsetOf(actual);
    const number = (known[result.targets.numberOf(offset)] ?? 0) - 1;
    if (number >= 0 && projection.at(number) === offset) return number * 4 + RECORDS.knownValue;
    const distance = offset - lastOffset;
    lastOffset = offset;
    return zigzag(distance) * 4 + RECORDS.newValue;
  }
}
