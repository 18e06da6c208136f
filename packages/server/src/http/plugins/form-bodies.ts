import fastifyPlugin from "fastify-plugin";
import { readBodies } from "./json-bodies.ts";

/** Reads the bodies of OAuth requests, which are forms. A repeated parameter is refused, as OAuth demands. */
export const formBodies = fastifyPlugin<{ timeoutMs: number }>(async (app, { timeoutMs }) =>
  readBodies(app, { timeoutMs, type: "application/x-www-form-urlencoded", parse: parseForm }),
);

/** OAuth treats an empty parameter like a missing one. */
function parseForm(text: string): Record<string, string> {
  const given = [...new URLSearchParams(text)].filter(([, value]) => value !== "");
  const form = new Map(given);
  // RFC 8707 lets a program name several resources. All must be this service, so one of them is enough.
  const isRepeated = given.filter(([name]) => name !== "resource").length > form.size - (form.has("resource") ? 1 : 0);
  if (isRepeated) throw new Error("a parameter is repeated");
  return Object.fromEntries(form);
}
