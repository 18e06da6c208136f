import type { TSchema } from "typebox";
import type { Route } from "../route.ts";
import { type JsonSchema, type Operation, type Parameter, type Reference, type RequestBody, referTo } from "./model.ts";
import type { Notes } from "./notes/notes.ts";
import { responsesOf } from "./responses.ts";
import type { NamedSchemas } from "./schemas.ts";
import { accessOf, securityOf } from "./security.ts";

/** A route as an OpenAPI operation. */
export function operationOf(route: Route, notes: Notes, schemas: NamedSchemas): Operation {
  const parameters = parametersOf(route, notes, schemas);
  return {
    operationId: notes.operationId,
    tags: [notes.tag],
    summary: route.summary,
    description: `${route.description ?? route.summary}\n\n${accessOf(route)}`,
    security: securityOf(route),
    ...(parameters.length > 0 && { parameters }),
    ...(route.body && { requestBody: requestBodyOf(route, route.body, notes, schemas) }),
    responses: responsesOf(route, notes.responses, schemas),
    ...(notes.curl && { "x-codeSamples": [{ lang: "Shell", label: "curl", source: notes.curl }] }),
  };
}

function parametersOf(route: Route, notes: Notes, schemas: NamedSchemas): (Parameter | Reference)[] {
  const { requestHeaders = [] } = notes;
  return [
    ...pathParameters(route.url, notes),
    ...(route.query ? queryParameters(route.query, schemas) : []),
    ...requestHeaders.map((name) => referTo("parameters", name)),
  ];
}

function pathParameters(url: string, notes: Notes): Parameter[] {
  return [...url.matchAll(/:([a-z]+)/g)].map(([, name = ""]) => ({
    name,
    in: "path",
    required: true,
    description: notes.pathParameters?.[name] ?? "",
    // Databases have names, everything else has a UUID.
    schema: url.includes("/databases/:id") ? { type: "string" } : { type: "string", format: "uuid" },
  }));
}

function queryParameters(query: TSchema, schemas: NamedSchemas): Parameter[] {
  const { properties, required = [] } = query as { properties?: Record<string, TSchema>; required?: string[] };
  return Object.entries(properties ?? {}).map(([name, schema]) => {
    const { description, ...rest } = { description: "", ...schema } as JsonSchema & { description: string };
    return {
      name,
      in: "query",
      required: required.includes(name),
      description,
      // Titled schemas keep their description; for others it has moved to the parameter.
      schema: schemas.write("title" in schema ? schema : (rest as TSchema)),
    };
  });
}

function requestBodyOf(route: Route, body: TSchema, notes: Notes, schemas: NamedSchemas): RequestBody {
  const { description, example } = notes.request ?? { description: "", example: {} };
  return {
    required: !route.isBodyOptional,
    description,
    content: {
      [route.isForm ? "application/x-www-form-urlencoded" : "application/json"]: {
        schema: schemas.write(body),
        examples: { request: { summary: description, value: example } },
      },
    },
  };
}
