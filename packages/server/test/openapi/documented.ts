import { ERRORS } from "@dbdepot/contract/shared/errors";
import { expect } from "vitest";
import { call, type Reply } from "../../../../rigs/harness/service/customer.ts";
import { openApiDocument } from "../../src/http/openapi/document.ts";
import { type Method, type Response, resolve } from "../../src/http/openapi/model.ts";
import { DOCUMENTED_ROUTES } from "../../src/http/routes.ts";
import { schemaErrors } from "./schema-errors.ts";

const document = openApiDocument(DOCUMENTED_ROUTES);

/** The last page of a list has no link to the next one, and most downloads are not patches. */
const SOMETIMES_ABSENT = ["Link", "X-Patch-From", "X-Patch-Sha256", "X-Patch-Size"];
/**
 * A wrong password gets no challenge, limits on guessing passwords only say how long to wait, and a password that needs a second
 * factor starts no session.
 */
const ABSENT_IN_CONSOLE = [...SOMETIMES_ABSENT, "Set-Cookie", "WWW-Authenticate", "RateLimit", "RateLimit-Policy"];

export type Operation = `${string} /${string}`;

/** Without `path`, the request goes to the path of the operation. */
export type DocumentedRequest = RequestInit & { path?: string; query?: string };

/** Every documented response, such as `GET /docs 304` or `GET /docs 500 INTERNAL`. */
export function documentedResponses(): string[] {
  return Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, { responses }]) =>
      Object.entries(responses).flatMap(([status, response]) => {
        const name = `${method.toUpperCase()} ${path} ${status}`;
        // The errors of OAuth have their own codes.
        const codes = isOAuth(path) ? [] : codesOf(resolve<Response>(document, response));
        return codes.length > 0 ? codes.map((code) => `${name} ${code}`) : [name];
      }),
    ),
  );
}

/** Sends a request and checks that the document describes the status, code, headers, media type and body. */
export async function callDocumented(
  apiUrl: string,
  operation: Operation,
  { path: actual, query = "", ...init }: DocumentedRequest = {},
): Promise<{ reply: Reply; outcome: string }> {
  const [method = "", path = ""] = operation.split(" ");
  const reply = await call(`${apiUrl}${actual ?? path}${query}`, { method, ...init });
  const documented = document.paths[path]?.[method.toLowerCase() as Method]?.responses[reply.status];
  const rc = reply.json?.rc ?? reply.json?.errorCode;
  const code = rc in ERRORS ? ` ${rc}` : "";
  const outcome = `${operation} ${reply.status}${code}`;
  if (!documented) throw new Error(`${outcome} is not in the document`);
  expect(documentedResponses()).toContain(outcome);
  expectToMatch(outcome, reply, resolve<Response>(document, documented));
  return { reply, outcome };
}

function isOAuth(path: string): boolean {
  return path.startsWith("/oauth/");
}

function codesOf({ content }: Response): string[] {
  return Object.keys(content?.["application/json"]?.examples ?? {}).filter((name) => name in ERRORS);
}

function expectToMatch(outcome: string, reply: Reply, { headers, content }: Response): void {
  for (const name of Object.keys(headers)) {
    // These headers are about the rate of requests, and an organization has other limits too.
    if (name.startsWith("RateLimit") && / 429 (?!RATE_LIMITED)/.test(outcome)) continue;
    const optional = / \/(api\/console|oauth)\//.test(outcome) ? ABSENT_IN_CONSOLE : SOMETIMES_ABSENT;
    if (!optional.includes(name)) expect(reply.headers.has(name), `${outcome} has ${name}`).toBe(true);
  }
  if (!content) {
    expect(reply.text, outcome).toBe("");
    return;
  }
  const [type = ""] = (reply.headers.get("content-type") ?? "").split(";");
  expect(Object.keys(content), outcome).toContain(type);
  const { schema } = content[type] ?? {};
  if (schema) expect(schemaErrors(document, schema, reply.json), outcome).toEqual([]);
}
