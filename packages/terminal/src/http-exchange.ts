/** Headers and body of a request or response. */
interface Contents {
  headers: Record<string, string>;
  body: string;
  /** Whether the rest was not kept. */
  truncated: boolean;
}

/** A request and its response as text, like `curl --verbose` shows them: lines with ">" were sent, with "<" received. */
export function exchangeText({ request, response }: { request: Contents | null; response: Contents | null }): string {
  if (!request) return "\nWhat was sent and received was not kept.\n";
  return contentsText(">", request) + (response ? contentsText("<", response) : "\nNo response arrived.\n");
}

function contentsText(mark: string, { headers, body, truncated }: Contents): string {
  const lines = Object.entries(headers).map(([name, value]) => `${mark} ${name}: ${value}\n`);
  const text = body === "" ? "" : `\n${body}\n`;
  return `\n${lines.join("")}${text}${truncated ? "[the rest was not kept]\n" : ""}`;
}
