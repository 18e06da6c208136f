/** Hexadecimal text as words of 32 bits, and back. */

const WORD_DIGITS = 8;
/** Where the digits of a UUID stand, dashes left out: four words of eight. */
const UUID_DIGITS = [...Array(36).keys()].filter((place) => ![8, 13, 18, 23].includes(place));
const DASH = "-".charCodeAt(0);

const VALUES = new Uint8Array(128);
const DIGITS = Buffer.from("0123456789abcdef", "latin1");
for (const [value, digit] of DIGITS.entries()) VALUES[digit] = value;

/** Every UUID is written out here, and taken as text at once. */
const written = Buffer.alloc(36, DASH);

/** The word that begins at this digit. */
export function readWord(text: string, start: number): number {
  let word = 0;
  for (let place = start; place < start + WORD_DIGITS; place += 1) {
    word = (word << 4) | (VALUES[text.charCodeAt(place)] as number);
  }
  return word;
}

export function putUuid(words: Int32Array, start: number, uuid: string): void {
  for (let digit = 0; digit < UUID_DIGITS.length; digit += 1) {
    const word = start + (digit >>> 3);
    words[word] = ((words[word] as number) << 4) | (VALUES[uuid.charCodeAt(UUID_DIGITS[digit] as number)] as number);
  }
}

export function uuidAt(words: Int32Array, start: number): string {
  for (let digit = 0; digit < UUID_DIGITS.length; digit += 1) {
    const value = ((words[start + (digit >>> 3)] as number) >>> (28 - (digit & 7) * 4)) & 15;
    written[UUID_DIGITS[digit] as number] = DIGITS[value] as number;
  }
  return written.toString("latin1");
}
