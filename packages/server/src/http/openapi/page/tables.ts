import { ERRORS } from "@dbdepot/contract/shared/errors";
import { type Html, html, nothing } from "../../../platform/primitives/html.ts";
import { type JsonSchema, type OpenApiDocument, type Parameter, resolve } from "../model.ts";
import { inline } from "./markdown.ts";
import { limitsOf, typeOf } from "./types.ts";

/** A table that scrolls horizontally in narrow windows. */
export function table(label: string, columns: readonly string[], rows: readonly (readonly Html[])[]): Html {
  const heads = columns.map((column) => html`<th scope="col">${column}</th>`);
  const body = rows.map(([first = nothing, ...rest]) => {
    return html`<tr><th scope="row">${first}</th>${rest.map((cell) => html`<td>${cell}</td>`)}</tr>`;
  });
  return html`<div class="table" role="region" aria-label="${label}" tabindex="0"><table>
<thead><tr>${heads}</tr></thead>
<tbody>${body}</tbody>
</table></div>`;
}

export function parameterTable(label: string, parameters: readonly Parameter[]): Html {
  const rows = parameters.map(({ name, in: location, required, description, schema }) => [
    html`<code>${name}</code>${location === "query" ? nothing : html` <small>${location}</small>`}`,
    typeOf(schema),
    html`${required ? html`<strong>Required.</strong> ` : nothing}${inline(description)}${limitsOf(schema)}`,
  ]);
  return table(label, ["Parameter", "Type", "Meaning"], rows);
}

export function fieldTable(label: string, document: OpenApiDocument, schema: JsonSchema): Html {
  const { properties = {}, required = [] } = schema;
  const rows = Object.entries(properties).map(([name, field]) => {
    const description = field.description ?? resolve<JsonSchema>(document, field).description ?? "";
    const optional = required.includes(name) ? nothing : html`<em>Optional.</em> `;
    return [html`<code>${name}</code>`, typeOf(field), html`${optional}${inline(description)}${limitsOf(field)}`];
  });
  return table(label, ["Field", "Type", "Meaning"], rows);
}

export function codeTable(label: string, codes: readonly string[] = Object.keys(ERRORS)): Html {
  const known = Object.entries(ERRORS).filter(([code]) => codes.includes(code));
  const rows = known
    .sort(([, a], [, b]) => a.status - b.status)
    .map(([code, { status, meaning }]) => [html`${status}`, html`<code>${code}</code>`, inline(meaning)]);
  return table(label, ["Status", "Code", "Meaning"], rows);
}

export function headerTable(label: string, document: OpenApiDocument): Html {
  const rows = Object.entries(document.components.headers).map(([name, { description, schema }]) => [
    html`<code>${name}</code>`,
    inline(description),
    html`<code class="long">${String(schema.examples?.[0])}</code>`,
  ]);
  return table(label, ["Header", "Meaning", "Example"], rows);
}
