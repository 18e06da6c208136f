import type { OAuthErrorCode } from "@dbdepot/contract/oauth/oauth";
import type { FastifyReply } from "fastify";
import { requestedScopes } from "../../domain/programs/approval.ts";
import { acceptsRedirect, type Program } from "../../domain/programs/program.ts";
import type { AuthorizationCode } from "../../domain/programs/program-key.ts";
import { html } from "../../platform/primitives/html.ts";
import { htmlPage } from "../openapi/page/shell.ts";
import type { RequestContext, Services } from "../route.ts";
import { hostName, isForeignResource, NO_KNOWN_SCOPE } from "./parameters.ts";

const CHALLENGE = /^[A-Za-z0-9_-]{43}$/;
const MAX_LENGTH = 2000;

/** A valid request for a code, before a person has approved it. */
export interface AuthorizationRequest {
  program: Program;
  requested: Omit<AuthorizationCode, "approval" | "expires" | "programKeyId">;
  /** The program's URL, to which the result of the request is added. */
  answer(result: Record<string, string>): string;
}

/** `shown`: the browser cannot be sent anywhere safely, so the person sees the problem here. */
type Checked = AuthorizationRequest | { shown: string } | { redirect: string };

/** Sends the browser to the consent page of the console, which needs a session. */
export function authorize({ services, request, reply }: RequestContext): FastifyReply {
  const query = new URL(request.url, "http://localhost").search.slice(1);
  const checked = checkAuthorization(services, query, request.clientAddress);
  reply.header("cache-control", "no-store").header("referrer-policy", "no-referrer");
  if ("redirect" in checked) return reply.redirect(checked.redirect);
  if (!("shown" in checked)) return reply.redirect(`/console/authorize?request=${encodeQuery(query)}`);
  const { body, contentType, headers } = htmlPage(
    "Sign-in failed",
    services.console.brand,
    html`<main id="content"><header><h1>Sign-in failed</h1><p>${checked.shown}</p>
<p>Nothing was approved. Close this page, and report the problem to the makers of the program.</p></header></main>`,
  );
  return reply
    .code(400)
    .headers({ ...headers, "content-type": contentType, "x-content-type-options": "nosniff" })
    .send(body);
}

/** The console's router would change values such as a long number. */
function encodeQuery(query: string): string {
  return Buffer.from(query).toString("base64url");
}

export function decodeQuery(text: string): string {
  return Buffer.from(text, "base64url").toString();
}

/** Checks the query of `/oauth/authorize`. Errors go to the program only if its redirect is one of its own. */
export function checkAuthorization({ programs, console }: Services, query: string, address: string): Checked {
  const parameters = new URLSearchParams(query);
  const get = (name: string) => parameters.get(name) ?? "";
  const program = programs.known.get(get("client_id"));
  if (!program || isRepeated(parameters, "client_id")) {
    return { shown: "The program that opened this page is not known to this service (client_id)." };
  }
  const redirect = get("redirect_uri");
  if (isRepeated(parameters, "redirect_uri") || redirect.length > MAX_LENGTH || !acceptsRedirect(program, redirect)) {
    return { shown: `${program.name} asked to continue at an address that is not registered for it (redirect_uri).` };
  }
  const answer = (result: Record<string, string>) => {
    const url = new URL(redirect);
    const state = get("state");
    for (const [name, value] of Object.entries({ ...result, ...(state && { state }), iss: console.publicUrl() })) {
      url.searchParams.set(name, value);
    }
    return url.href;
  };
  const fail = (error: OAuthErrorCode | "unsupported_response_type", description: string) => ({
    redirect: answer({ error, error_description: description }),
  });
  const repeated = [...new Set(parameters.keys())].find((name) => name !== "resource" && isRepeated(parameters, name));
  if (repeated !== undefined) return fail("invalid_request", "a parameter is repeated");
  if ([...parameters.values()].some((value) => value.length > MAX_LENGTH)) {
    return fail("invalid_request", "a parameter is too long");
  }
  if (get("response_type") !== "code") return fail("unsupported_response_type", "response_type must be code");
  if (get("code_challenge_method") !== "S256" || !CHALLENGE.test(get("code_challenge"))) {
    return fail("invalid_request", "code_challenge is required, with code_challenge_method=S256");
  }
  if (!["", "query"].includes(get("response_mode"))) return fail("invalid_request", "response_mode must be query");
  if (parameters.getAll("resource").some((resource) => isForeignResource(resource, console.publicUrl()))) {
    return fail("invalid_target", "resource is not this service");
  }
  const scopes = requestedScopes(program, get("scope"));
  if (!scopes) return fail("invalid_scope", NO_KNOWN_SCOPE);
  return {
    program,
    requested: {
      programId: program.id,
      scopes,
      host: hostName(parameters.get("device_name") ?? undefined),
      address,
      redirect,
      challenge: get("code_challenge"),
    },
    answer,
  };
}

function isRepeated(parameters: URLSearchParams, name: string): boolean {
  return parameters.getAll(name).length > 1;
}
