import { type LineFault, LineFaults } from "./line-faults.ts";

/**
 * Reads the part of TOML that dbdepot.toml needs: comments, `key = value`, [tables], [[lists of tables]], strings in
 * one line, whole numbers, booleans, arrays and inline tables. What it takes means the same as in all of TOML; what it
 * does not know it refuses, with the line.
 */
export type TomlValue = { line: number } & (
  | { type: "string"; value: string }
  | { type: "integer"; value: number }
  | { type: "boolean"; value: boolean }
  | { type: "array"; items: TomlValue[] }
  | TomlTable
);
export interface TomlTable {
  type: "table";
  line: number;
  entries: Map<string, TomlValue>;
}

export interface TomlDocument {
  table: TomlTable;
  /** All that is wrong with the text, not just the first. */
  faults: LineFault[];
}

export function parseToml(text: string): TomlDocument {
  return new Reader(text.replace(/^\ufeff/, "")).document();
}

const BARE_KEY = /[A-Za-z0-9_-]+/y;
/** Where reading can go on after a fault: at a line that begins a table or an entry. */
const BEGINNING = /\n(?=[ \t]*(?:\[|[A-Za-z0-9_-]+[ \t]*=))/g;
const ESCAPES: Record<string, string> = { b: "\b", t: "\t", n: "\n", f: "\f", r: "\r", '"': '"', "\\": "\\" };

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  document(): TomlDocument {
    const root = emptyTable(1);
    const faults: LineFault[] = [];
    let current = root;
    for (this.#skipBlank(); this.#at < this.#text.length; this.#skipBlank()) {
      try {
        if (this.#peek() === "[") current = this.#header(root);
        else this.#entry(current);
        this.#endOfLine();
      } catch (error) {
        if (!(error instanceof LineFaults)) throw error;
        faults.push(...error.faults);
        BEGINNING.lastIndex = this.#at;
        this.#at = BEGINNING.test(this.#text) ? BEGINNING.lastIndex : this.#text.length;
      }
    }
    return { table: root, faults };
  }

  #header(root: TomlTable): TomlTable {
    const line = this.#line();
    const isList = this.#take("[[");
    if (!isList) this.#take("[");
    this.#skipSpaces();
    const name = this.#key();
    this.#skipSpaces();
    if (!this.#take(isList ? "]]" : "]")) throw this.#fault(`"[${name}" is not closed, or has a dot in it`);
    const table = emptyTable(line);
    const found = root.entries.get(name);
    if (!isList) {
      if (found) throw LineFaults.at(line, `[${name}] is there twice, first in line ${found.line}`);
      root.entries.set(name, table);
    } else if (!found) {
      root.entries.set(name, { type: "array", items: [table], line });
    } else if (found.type === "array" && found.items.every((item) => item.type === "table")) {
      found.items.push(table);
    } else {
      throw LineFaults.at(line, `[[${name}]] cannot be added to what line ${found.line} says`);
    }
    return table;
  }

  #entry(table: TomlTable): void {
    const line = this.#line();
    const name = this.#key();
    this.#skipSpaces();
    if (!this.#take("=")) throw this.#fault(`"${name}" must be followed by "="`);
    this.#skipSpaces();
    const value = this.#value();
    const found = table.entries.get(name);
    if (found) throw LineFaults.at(line, `"${name}" is there twice, first in line ${found.line}`);
    table.entries.set(name, value);
  }

  #key(): string {
    if (this.#peek() === '"' || this.#peek() === "'") return this.#string();
    BARE_KEY.lastIndex = this.#at;
    const word = BARE_KEY.exec(this.#text)?.[0];
    if (word === undefined) throw this.#fault(`here a name is expected, not ${this.#shown()}`);
    this.#at += word.length;
    return word;
  }

  #value(): TomlValue {
    const line = this.#line();
    const first = this.#peek();
    if (first === '"' || first === "'") return { type: "string", value: this.#string(), line };
    if (first === "[") return { type: "array", items: this.#array(), line };
    if (first === "{") return this.#inlineTable();
    const word = /^[^\s,\]}#]*/.exec(this.#text.slice(this.#at, this.#at + 100))?.[0] ?? "";
    if (word === "") throw this.#fault("the value is missing");
    this.#at += word.length;
    if (word === "true" || word === "false") return { type: "boolean", value: word === "true", line };
    if (/^[+-]?(0|[1-9](_?\d)*)$/.test(word)) return { type: "integer", value: Number(word.replaceAll("_", "")), line };
    // Not repeated in the message: it might be a key without its quotes.
    throw LineFaults.at(line, "the value is no text in quotes, no whole number, and neither true nor false");
  }

  #string(): string {
    const quote = this.#peek();
    if (this.#text.startsWith(quote.repeat(3), this.#at)) throw this.#fault("text of several lines is not supported");
    this.#at += 1;
    let value = "";
    for (;;) {
      const letter = this.#text[this.#at];
      if (letter === undefined || letter === "\n") throw this.#fault("the text's closing quote is missing");
      this.#at += 1;
      if (letter === quote) return value;
      value += letter === "\\" && quote === '"' ? this.#escape() : letter;
    }
  }

  #escape(): string {
    const letter = this.#text[this.#at] ?? "";
    this.#at += 1;
    const known = ESCAPES[letter];
    if (known !== undefined) return known;
    const length = letter === "u" ? 4 : letter === "U" ? 8 : 0;
    const digits = this.#text.slice(this.#at, this.#at + length);
    const code = Number.parseInt(digits, 16);
    const isLetter = code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
    if (length === 0 || digits.length < length || !/^[0-9a-fA-F]+$/.test(digits) || !isLetter) {
      throw this.#fault(`"\\${letter}" means nothing: for a backslash write two`);
    }
    this.#at += length;
    return String.fromCodePoint(code);
  }

  #array(): TomlValue[] {
    const line = this.#line();
    const items: TomlValue[] = [];
    this.#take("[");
    for (this.#skipBlank(); !this.#take("]"); this.#skipBlank()) {
      if (this.#at >= this.#text.length) throw LineFaults.at(line, 'the list is not closed: "]" is missing');
      items.push(this.#value());
      this.#skipBlank();
      if (!this.#take(",") && this.#peek() !== "]")
        throw this.#fault(`here "," or "]" is expected, not ${this.#shown()}`);
    }
    return items;
  }

  #inlineTable(): TomlTable {
    const table = emptyTable(this.#line());
    this.#take("{");
    this.#skipSpaces();
    if (this.#take("}")) return table;
    for (;;) {
      this.#skipSpaces();
      this.#entry(table);
      this.#skipSpaces();
      if (this.#take("}")) return table;
      if (!this.#take(",")) throw this.#fault(`here "," or "}" is expected, not ${this.#shown()}`);
    }
  }

  #endOfLine(): void {
    this.#skipSpaces();
    if (this.#peek() === "#") this.#skipComment();
    this.#take("\r");
    if (this.#at < this.#text.length && !this.#take("\n")) {
      throw this.#fault(`${this.#shown()} is too much in this line`);
    }
  }

  /** White space, line breaks and comments. */
  #skipBlank(): void {
    for (;;) {
      const letter = this.#peek();
      if (letter === "#") this.#skipComment();
      else if (letter !== "" && " \t\r\n".includes(letter)) this.#at += 1;
      else return;
    }
  }

  #skipSpaces(): void {
    while (this.#peek() === " " || this.#peek() === "\t") this.#at += 1;
  }

  #skipComment(): void {
    const end = this.#text.indexOf("\n", this.#at);
    this.#at = end < 0 ? this.#text.length : end;
  }

  #peek(): string {
    return this.#text[this.#at] ?? "";
  }

  #take(expected: string): boolean {
    if (!this.#text.startsWith(expected, this.#at)) return false;
    this.#at += expected.length;
    return true;
  }

  #line(): number {
    return this.#text.slice(0, this.#at).split("\n").length;
  }

  #fault(message: string): LineFaults {
    return LineFaults.at(this.#line(), message);
  }

  /** What stands here, for a message. Never much of it: it might be half of a secret. */
  #shown(): string {
    const letter = this.#peek();
    return letter === "" || letter === "\n" ? "the end of the line" : `"${letter}"`;
  }
}

function emptyTable(line: number): TomlTable {
  return { type: "table", line, entries: new Map() };
}
