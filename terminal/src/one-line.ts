/** What others wrote, Node or a file, may hold line breaks. */
export function oneLine(message: string): string {
  return message.replace(/\s*[\r\n]+\s*/g, " ");
}
