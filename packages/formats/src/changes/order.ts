import { parseAddress } from "../mmdb/address.ts";

/** A key in a form that can be compared: equal keys have equal positions. Numbers sort before strings. */
export type Position = number | string;

/** Returns the position of a key, or undefined if it is not of the order's kind. */
type Order = (key: string) => Position | undefined;

const PREFIX_BITS = 256;
const WHOLE_NUMBER = /^(0|[1-9][0-9]{0,14})$/;

/** The orders in which files are usually sorted, the most specific first. */
const ORDERS: readonly Order[] = [networkPosition, numberPosition, (key) => key];

/** Returns the first order in which both lists of keys ascend, or undefined if there is none. */
export function findOrder(...lists: readonly (readonly string[])[]): Order | undefined {
  return ORDERS.find((order) => lists.every((keys) => isAscending(keys, order)));
}

export function comparePositions(a: Position, b: Position): number {
  if (typeof a === typeof b) return a < b ? -1 : a > b ? 1 : 0;
  return typeof a === "number" ? -1 : 1;
}

function isAscending(keys: readonly string[], order: Order): boolean {
  let previous: Position | undefined;
  for (const key of keys) {
    const position = order(key);
    if (position === undefined) return false;
    if (previous !== undefined && comparePositions(previous, position) > 0) return false;
    previous = position;
  }
  return true;
}

/**
 * Positions a network, an address or the two ends of a range by its address: IPv4 before IPv6, and a network before those
 * inside it. `192.0.2.1` and `192.0.2.1/32` are the same.
 */
export function networkPosition(key: string): Position | undefined {
  const separator = key.indexOf(KEY_SEPARATOR);
  const first = separator === -1 ? key : key.slice(0, separator);
  const slash = first.indexOf("/");
  const address = parseAddress(slash === -1 ? first : first.slice(0, slash));
  if (address === undefined) return undefined;
  const [word = 0] = address;
  const bits = slash === -1 ? address.length * 32 : Number(first.slice(slash + 1));
  if (!(bits >= 0 && bits < PREFIX_BITS)) return undefined;
  if (separator !== -1) {
    const end = parseAddress(key.slice(separator + 1));
    return end && `${end.length === 1 ? 4 : 6}${hex(address)}-${hex(end)}`;
  }
  return address.length === 1 ? word * PREFIX_BITS + bits : hex([...address, bits]);
}

function numberPosition(key: string): Position | undefined {
  return WHOLE_NUMBER.test(key) ? Number(key) : undefined;
}

function hex(words: readonly number[]): string {
  return words.map((word) => word.toString(16).padStart(8, "0")).join("");
}

/** Joins the cells of a key with several columns. It cannot occur in a cell that is an address. */
export const KEY_SEPARATOR = "\n";
