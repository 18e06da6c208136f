import { ERRORS } from "@dbdepot/contract/shared/errors";
import { type Html, html, nothing } from "../../../platform/primitives/html.ts";
import {
  type MediaType,
  type OpenApiDocument,
  type Operation,
  type RequestBody,
  type Response,
  resolve,
} from "../model.ts";
import { readableJson } from "./json.ts";
import { codeBlock, inline, markdown } from "./markdown.ts";
import { codeTable, parameterTable, table } from "./tables.ts";
import { joined, typeOf } from "./types.ts";

export interface Endpoint {
  method: string;
  path: string;
  operation: Operation;
}

export function endpointsOf(document: OpenApiDocument, tag: string): Endpoint[] {
  return Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([, operation]) => operation.tags[0] === tag)
      .map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
}

export function endpointSection(document: OpenApiDocument, { method, path, operation }: Endpoint): Html {
  const { operationId, summary, description, parameters = [], requestBody } = operation;
  const resolved = parameters.map((parameter) => resolve(document, parameter));
  return html`<section class="endpoint" aria-labelledby="${operationId}">
<h3 id="${operationId}">${summary}</h3>
<p class="address"><span class="method">${method}</span> <code>${path}</code></p>
${markdown(description)}
${resolved.length > 0 ? html`<h4>Parameters</h4>${parameterTable(`Parameters: ${summary}`, resolved)}` : nothing}
${requestBody ? requestBlock(requestBody) : nothing}
${operation["x-codeSamples"]?.map(({ source }) => html`<h4>Example</h4>${codeBlock(source)}`) ?? nothing}
${responseBlocks(document, operation)}
</section>`;
}

function requestBlock({ description, required, content }: RequestBody): Html {
  return html`<h4>Body</h4>
<p>${inline(description)} ${mediaTypes(content)}.${required ? nothing : html` <em>Optional.</em>`}</p>
${examplesOf(content)}`;
}

function responseBlocks(document: OpenApiDocument, { summary, responses }: Operation): Html {
  const all = Object.entries(responses).map(([status, response]) => ({
    status,
    ...resolve<Response>(document, response),
  }));
  const answers = all.filter((answer) => codesOf(answer).length === 0);
  return html`<h4>Responses</h4>
${table(`Responses: ${summary}`, ["Status", "Response", "Headers"], answers.map(answerRow))}
${answers.map(({ content = {} }) => examplesOf(content))}
<h4>Errors</h4>
${codeTable(`Errors: ${summary}`, all.flatMap(codesOf))}`;
}

function answerRow({ status, description, headers, content }: Response & { status: string }): Html[] {
  const types = content ? html` ${mediaTypes(content)}.` : nothing;
  const names = Object.keys(headers).map((name) => html`<code>${name}</code>`);
  return [html`${status}`, html`${inline(description)}${types}`, html`${joined(names, " ")}`];
}

function codesOf({ content }: Response): string[] {
  return Object.keys(content?.["application/json"]?.examples ?? {}).filter((name) => name in ERRORS);
}

function mediaTypes(content: Record<string, MediaType>): Html {
  const types = Object.entries(content).map(
    ([type, { schema }]) => html`<code>${type}</code>${schema ? html`: ${typeOf(schema)}` : nothing}`,
  );
  return html`${joined(types, " or ")}`;
}

function examplesOf(content: Record<string, MediaType>): Html[] {
  return Object.values(content).flatMap(({ examples = {} }) =>
    Object.values(examples).map(({ value }) => codeBlock(readableJson(value))),
  );
}
