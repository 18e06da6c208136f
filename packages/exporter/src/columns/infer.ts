import { parseAddress } from "@dbdepot/formats/mmdb/address";
import { isInteger } from "../mmdb/encode.ts";
import { parseNetwork } from "../mmdb/network.ts";
import type { ColumnType } from "./column-type.ts";

// Text with leading zeros or redundant signs is a code, which a number would not preserve.
const INTEGER = /^(0|-?[1-9][0-9]{0,38})$/;
const DECIMAL = /^-?(0|[1-9][0-9]*)\.[0-9]+$/;
const BOOLEAN = /^(true|false)$/i;

/** The narrowest type that fits every cell of a column. Empty cells fit every type. */
export class TypeGuess {
  #isEmpty = true;
  #canBeBoolean = true;
  #canBeNumber = true;
  #canBeAddress = true;
  #canBeNetwork = true;
  #hasDecimals = false;
  #least = 0n;
  #most = 0n;

  add(cell: string): void {
    if (cell === "") return;
    this.#isEmpty = false;
    if (this.#canBeBoolean) this.#canBeBoolean = BOOLEAN.test(cell);
    if (this.#canBeNumber) this.#addNumber(cell);
    if (this.#canBeAddress) this.#canBeAddress = parseAddress(cell) !== undefined;
    if (this.#canBeNetwork) this.#canBeNetwork = !("fault" in parseNetwork(cell));
  }

  /**
   * It is never uint16, and uint64 only if needed: a type that changes as the data grows would break programs that read
   * the next build.
   */
  type(): ColumnType {
    if (this.#isEmpty) return "string";
    if (this.#canBeBoolean) return "boolean";
    if (this.#canBeNumber) return this.#numberType();
    if (this.#canBeAddress) return "ip";
    return this.#canBeNetwork ? "cidr" : "string";
  }

  #addNumber(cell: string): void {
    if (INTEGER.test(cell)) {
      const value = BigInt(cell);
      if (value < this.#least) this.#least = value;
      if (value > this.#most) this.#most = value;
    } else if (DECIMAL.test(cell)) {
      this.#hasDecimals = true;
    } else {
      this.#canBeNumber = false;
    }
  }

  #numberType(): ColumnType {
    if (!this.#hasDecimals) {
      const types = ["uint32", "int32", "uint64", "uint128"] as const;
      const fitting = types.find((type) => isInteger(type, this.#least) && isInteger(type, this.#most));
      if (fitting !== undefined) return fitting;
    }
    const isExact = this.#least >= Number.MIN_SAFE_INTEGER && this.#most <= Number.MAX_SAFE_INTEGER;
    return isExact ? "double" : "string";
  }
}
