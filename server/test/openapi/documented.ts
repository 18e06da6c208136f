import { ERRORS } from "@dbdepot/contract/errors";
import { expect } from "vitest";
import { openApiDocument } from "../../src/http/openapi/document.ts";
import { type Method, type Response, resolve } from "../../src/http/openapi/model.ts";
import { CUSTOMER_ROUTES } from "../../src/http/routes.ts";
import { call, type Reply } from "../customer.ts";
import { faultsOf } from "./judge.ts";

const document = openApiDocument(CUSTOMER_ROUTES);

/** The last page of the history has none. */
const SOMETIMES_ABSENT = ["Link"];

/** Every answer that the document tells of, like `GET /docs 304` or `GET /docs 500 INTERNAL`. */
export function documentedAnswers(): string[] {
  return Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, { responses }]) =>
      Object.entries(responses).flatMap(([status, response]) => {
        const name = `${method.toUpperCase()} ${path} ${status}`;
        const codes = codesOf(resolve<Response>(document, response));
        return codes.length > 0 ? codes.map((code) => `${name} ${code}`) : [name];
      }),
    ),
  );
}

/** Calls an address of the document and holds the answer against it: status, code, headers, media type, body. */
export async function visit(
  apiUrl: string,
  operation: `${string} /${string}`,
  { path: actual, query = "", ...init }: RequestInit & { path?: string; query?: string } = {},
): Promise<{ reply: Reply; answer: string }> {
  const [method = "", path = ""] = operation.split(" ");
  const reply = await call(`${apiUrl}${actual ?? path}${query}`, { method, ...init });
  const documented = document.paths[path]?.[method.toLowerCase() as Method]?.responses[reply.status];
  const code = reply.json?.rc in ERRORS ? ` ${reply.json.rc}` : "";
  const answer = `${operation} ${reply.status}${code}`;
  if (!documented) throw new Error(`${answer} is not in the document`);
  expect(documentedAnswers()).toContain(answer);
  expectToFit(answer, reply, resolve<Response>(document, documented));
  return { reply, answer };
}

function codesOf({ content }: Response): string[] {
  return Object.keys(content?.["application/json"]?.examples ?? {}).filter((name) => name in ERRORS);
}

function expectToFit(answer: string, reply: Reply, { headers, content }: Response): void {
  for (const name of Object.keys(headers)) {
    if (!SOMETIMES_ABSENT.includes(name)) expect(reply.headers.has(name), `${answer} has ${name}`).toBe(true);
  }
  if (!content) {
    expect(reply.text, answer).toBe("");
    return;
  }
  const [type = ""] = (reply.headers.get("content-type") ?? "").split(";");
  expect(Object.keys(content), answer).toContain(type);
  const { schema } = content[type] ?? {};
  if (schema) expect(faultsOf(document, schema, reply.json), answer).toEqual([]);
}
