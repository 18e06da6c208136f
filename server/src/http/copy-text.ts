/** For what is remembered: a part of a text keeps the whole of it in memory, and that is a request with its key. */
export function copyText(text: string): string {
  return Buffer.from(text).toString();
}
