/** The lines of an answer before its body, a character for each byte. */
import type { HeaderList } from "../outlet.ts";

/** An `import` would load the whole of fetch, see objects/gateway.ts. */
const { STATUS_CODES } = process.getBuiltinModule("node:http");

/** The end of a line would begin another header. */
const FORBIDDEN = /[^\t -~]/;

/** What an answer begins with. Its own headers follow, then an empty line and the body. */
export function answerStart(status: number, connection: string): string {
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nDate: ${httpDate()}\r\n${connection}\r\n`;
}

export function headerLines(headers: HeaderList): string {
  let lines = "";
  for (let i = 0; i < headers.length; i += 2) {
    const [name, value = ""] = [headers[i], headers[i + 1]];
    if (FORBIDDEN.test(value)) throw new Error(`the header ${name} would have a character that none can have`);
    lines += `${name}: ${value}\r\n`;
  }
  return lines;
}

let dateSecond = 0;
let date = "";

/** Written once a second. */
function httpDate(): string {
  const second = Math.floor(Date.now() / 1000);
  if (second !== dateSecond) {
    dateSecond = second;
    date = new Date(second * 1000).toUTCString();
  }
  return date;
}
