/** The part of OpenAPI 3.1 that our document uses. */

export interface JsonSchema {
  $ref?: string;
  title?: string;
  description?: string;
  type?: string;
  format?: string;
  pattern?: string;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  examples?: unknown[];
  [keyword: string]: unknown;
}

export interface Reference {
  $ref: string;
}

export interface Parameter {
  name: string;
  in: "query" | "path" | "header";
  required: boolean;
  description: string;
  schema: JsonSchema;
}

export interface Header {
  description: string;
  schema: JsonSchema;
}

interface Example {
  summary: string;
  value: unknown;
}

export interface MediaType {
  schema?: JsonSchema;
  examples?: Record<string, Example>;
}

export interface Response {
  description: string;
  headers: Record<string, Reference>;
  content?: Record<string, MediaType>;
}

export interface RequestBody {
  required: boolean;
  description: string;
  content: Record<string, MediaType>;
}

export interface Operation {
  operationId: string;
  tags: [string];
  summary: string;
  description: string;
  security: Record<string, string[]>[];
  parameters?: (Parameter | Reference)[];
  requestBody?: RequestBody;
  responses: Record<string, Response | Reference>;
  /** The extension that Redocly and other tools use for example requests. */
  "x-codeSamples"?: { lang: string; label: string; source: string }[];
}

export type Method = "get" | "post" | "put" | "patch" | "delete";

export interface OpenApiDocument {
  openapi: "3.1.1";
  info: {
    title: string;
    version: string;
    summary: string;
    description: string;
    contact: { name: string; url?: string; email?: string };
    license: { name: string; identifier: string };
  };
  servers: { url: string; description: string }[];
  tags: { name: string; description: string }[];
  paths: Record<string, Partial<Record<Method, Operation>>>;
  /** Requests that we send. */
  webhooks: Record<string, { post: Operation }>;
  components: {
    schemas: Record<string, JsonSchema>;
    parameters: Record<string, Parameter>;
    headers: Record<string, Header>;
    responses: Record<string, Response>;
    securitySchemes: Record<string, JsonSchema>;
  };
}

type ComponentKind = keyof OpenApiDocument["components"];

export function referTo(kind: ComponentKind, name: string): Reference {
  return { $ref: `#/components/${kind}/${name}` };
}

/** Resolves a reference to a component; returns anything else unchanged. */
export function resolve<T extends object>(document: OpenApiDocument, value: T | Reference): T {
  if (!("$ref" in value)) return value;
  const [, , kind = "", name = ""] = value.$ref.split("/");
  return document.components[kind as ComponentKind][name] as T;
}
