import { type Html, html } from "../../../platform/primitives/html.ts";
import type { JsonSchema } from "../model.ts";

/** A short type name, linked to its section if it has one. */
export function typeOf(schema: JsonSchema): Html {
  if (schema.$ref) return reference(schema.$ref);
  if (schema.anyOf) return html`${joined(schema.anyOf.map(typeOf), " or ")}`;
  if (schema.items) return html`array of ${typeOf(schema.items)}`;
  if (schema.properties) return html`object of ${joined(Object.entries(schema.properties).map(field), ", ")}`;
  if (schema.enum) return html`${joined(schema.enum.map(quoted), ", ")}`;
  if (schema.const !== undefined) return quoted(schema.const);
  return html`${schema.format ?? schema.type ?? "any value"}`;
}

export function limitsOf({ pattern, maxLength, minimum, maximum, default: preset }: JsonSchema): Html[] {
  const isBounded = minimum !== undefined && maximum !== undefined && maximum !== Number.MAX_SAFE_INTEGER;
  return [
    ...(pattern ? [html` <small>Pattern: <code>${pattern}</code>.</small>`] : []),
    ...(maxLength ? [html` <small>At most ${maxLength} characters.</small>`] : []),
    ...(isBounded ? [html` <small>${minimum} to ${maximum}.</small>`] : []),
    ...(preset === undefined ? [] : [html` <small>Default: ${String(preset)}.</small>`]),
  ];
}

export function schemaAnchor(name: string): string {
  return `schema-${name}`;
}

function reference(ref: string): Html {
  const name = ref.split("/").at(-1) ?? "";
  return html`<a href="#${schemaAnchor(name)}">${name}</a>`;
}

function field([name, schema]: [string, JsonSchema]): Html {
  return html`<code>${name}</code>: ${typeOf(schema)}`;
}

function quoted(value: unknown): Html {
  return html`<code>${String(value)}</code>`;
}

export function joined(parts: Html[], separator: string): Html[] {
  return parts.flatMap((part, index) => (index === 0 ? [part] : [html`${separator}`, part]));
}
