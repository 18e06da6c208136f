import { parseAddress } from "@dbdepot/formats/mmdb/address";
import { ByteList } from "@dbdepot/formats/mmdb/byte-list";
import { METADATA_MARKER, SEPARATOR_BYTES } from "@dbdepot/formats/mmdb/layout";
import { DATA_TYPES, LAST_SHORT_TYPE } from "@dbdepot/formats/mmdb/metadata";
import { PUT_NODE, type RecordSizeBits } from "@dbdepot/formats/mmdb/node-records";
import { appendPointer, pointerSizeBytes } from "@dbdepot/formats/mmdb/pointers";

// Writes an mmdb as other vendors' programs do: the first copy of a value is inside a record, later records point into the middle of
// that one, and no subtree is shared except the IPv4 tree.

/** How a program lays out its files. */
export interface ForeignStyle {
  recordSizeBits: RecordSizeBits;
  ipVersion: 4 | 6;
  /** `depth` is the order of MaxMind::DB::Writer and mmdbwriter; no known program uses the other. */
  nodeOrder: "depth" | "breadth";
  valueOrder: "first" | "last";
  /** Whether ::ffff:0:0/96 leads to the IPv4 tree. */
  hasAliases: boolean;
}

export type ForeignValue = string | number | boolean | ForeignValue[] | { [key: string]: ForeignValue };

interface Node {
  number: number;
  sides: [Side, Side];
}
type Side = Node | ForeignRecord | undefined;
interface ForeignRecord {
  value: ForeignValue;
}

export function buildForeignMmdb(rows: readonly (readonly [string, ForeignValue])[], style: ForeignStyle): Buffer {
  const root = newNode();
  for (const [network, value] of rows) insert(root, prefixOf(network, style.ipVersion), value);
  if (style.hasAliases && style.ipVersion === 6) addAlias(root);
  const nodes = style.nodeOrder === "depth" ? depthFirst(root) : breadthFirst(root);
  const records = new Map<string, number>();
  const data = new Serializer();
  const leaves = nodes.flatMap(({ sides }) => sides.filter((side) => isRecord(side)));
  for (const { value } of style.valueOrder === "first" ? leaves : leaves.toReversed()) {
    const key = JSON.stringify(value);
    if (records.has(key)) continue;
    records.set(key, data.out.length);
    data.write(value, false);
  }
  const recordOf = (side: Side): number => {
    if (side === undefined) return nodes.length;
    if (!isRecord(side)) return side.number;
    return nodes.length + SEPARATOR_BYTES + (records.get(JSON.stringify(side.value)) as number);
  };
  const tree = Buffer.alloc((nodes.length * style.recordSizeBits) / 4);
  for (const { number, sides } of nodes) {
    const [left, right] = sides.map(recordOf) as [number, number];
    PUT_NODE[style.recordSizeBits](tree, (number * style.recordSizeBits) / 4, left, right);
  }
  const metadata = new Serializer();
  metadata.write(
    {
      build_epoch: 1_767_312_000,
      database_type: "Foreign",
      ip_version: style.ipVersion,
      node_count: nodes.length,
      record_size: style.recordSizeBits,
      vendor_notes: ["a key of their own", style.nodeOrder],
    },
    false,
  );
  return Buffer.concat([tree, Buffer.alloc(SEPARATOR_BYTES), data.out.view(), METADATA_MARKER, metadata.out.view()]);
}

function newNode(): Node {
  return { number: -1, sides: [undefined, undefined] };
}

function isRecord(side: Side): side is ForeignRecord {
  return side !== undefined && "value" in side;
}

function prefixOf(network: string, ipVersion: 4 | 6): number[] {
  const [address = "", length = ""] = network.split("/");
  const words = parseAddress(address) ?? [];
  const bits = words.flatMap((word) => Array.from({ length: 32 }, (_, bit) => (word >>> (31 - bit)) & 1));
  const prefix = bits.slice(0, Number(length));
  return words.length === 1 && ipVersion === 6 ? [...Array<number>(96).fill(0), ...prefix] : prefix;
}

/** A network inside another one replaces that part of it. Nodes that are no longer needed stay. */
function insert(root: Node, prefix: readonly number[], value: ForeignValue): void {
  let node = root;
  const last = prefix.at(-1);
  if (last === undefined) {
    root.sides = [{ value }, { value }];
    return;
  }
  for (const bit of prefix.slice(0, -1)) {
    const side = node.sides[bit as 0 | 1];
    const next: Node = side === undefined || isRecord(side) ? { number: -1, sides: [side, side] } : side;
    node.sides[bit as 0 | 1] = next;
    node = next;
  }
  node.sides[last as 0 | 1] = { value };
}

function addAlias(root: Node): void {
  let ipv4: Side = root;
  for (let depth = 0; depth < 96; depth++) ipv4 = ipv4 && !isRecord(ipv4) ? ipv4.sides[0] : undefined;
  if (!ipv4 || isRecord(ipv4)) return;
  let node = root;
  for (let depth = 0; depth < 95; depth++) {
    const side: 0 | 1 = depth < 80 ? 0 : 1;
    const next = node.sides[side];
    if (isRecord(next)) return;
    node.sides[side] = next ?? newNode();
    node = node.sides[side];
  }
  node.sides[1] = ipv4;
}

function depthFirst(root: Node): Node[] {
  const nodes: Node[] = [];
  const visit = (node: Node): void => {
    if (node.number !== -1) return;
    node.number = nodes.push(node) - 1;
    for (const side of node.sides) if (side && !isRecord(side)) visit(side);
  };
  visit(root);
  return nodes;
}

function breadthFirst(root: Node): Node[] {
  const nodes = [root];
  root.number = 0;
  for (const node of nodes) {
    for (const side of node.sides) {
      if (side && !isRecord(side) && side.number === -1) side.number = nodes.push(side) - 1;
    }
  }
  return nodes;
}

/** Encodes values. One that was written before becomes a pointer to it, if that is shorter. */
class Serializer {
  readonly out = new ByteList(1 << 10);
  readonly #written = new Map<string, number>();

  write(value: ForeignValue, canPoint = true): void {
    const key = JSON.stringify(value);
    const before = this.#written.get(key);
    if (canPoint && before !== undefined && pointerSizeBytes(before) < key.length) {
      appendPointer(this.out, before);
      return;
    }
    if (before === undefined) this.#written.set(key, this.out.length);
    if (typeof value === "string") {
      const bytes = Buffer.from(value);
      this.#header(DATA_TYPES.string, bytes.length);
      this.out.pushBytes(bytes);
    } else if (typeof value === "boolean") {
      this.#header(DATA_TYPES.boolean, value ? 1 : 0);
    } else if (typeof value === "number") {
      const size = value === 0 ? 0 : Math.ceil((Math.floor(Math.log2(value)) + 1) / 8);
      this.#header(DATA_TYPES.uint32, size);
      this.out.pushUint(value, size);
    } else if (Array.isArray(value)) {
      this.#header(DATA_TYPES.array, value.length);
      for (const each of value) this.write(each);
    } else {
      const entries = Object.entries(value);
      this.#header(DATA_TYPES.map, entries.length);
      for (const [name, each] of entries) {
        this.write(name);
        this.write(each);
      }
    }
  }

  #header(type: number, size: number): void {
    const low = size < 29 ? size : size < 285 ? 29 : 30;
    this.out.pushByte(((type > LAST_SHORT_TYPE ? 0 : type) << 5) | low);
    if (type > LAST_SHORT_TYPE) this.out.pushByte(type - LAST_SHORT_TYPE);
    if (low >= 29) this.out.pushUint(size - (low === 29 ? 29 : 285), low - 28);
  }
}
