import { pause } from "../api/retry.ts";
import { type ClientOptions, createHttpSend, validBaseUrl } from "../client.ts";
import { DbdepotError } from "../errors.ts";
import type { Send } from "../http/http.ts";
import { type Login, type LoginPrompt, parseObject, readDeviceCode, readLogin } from "./responses.ts";

export type { Login, LoginPrompt } from "./responses.ts";

const CLIENT_ID = "dbdepot-cli";
const DEVICE_CODE_GRANT = "urn:ietf:params:oauth:grant-type:device_code";
const DEFAULT_SCOPES = ["db.download", "account.read", "org.read"];
const SLOW_DOWN_MS = 5000;

type Connection = Pick<ClientOptions, "fetch" | "env" | "timeoutMs" | "userAgent"> & {
  signal?: AbortSignal | undefined;
};

export interface LoginOptions extends Connection {
  /** The service's URL, such as `https://depot.example`. */
  baseUrl: string;
  /** The scopes of the key (default: download databases, and read the account and the organization). */
  scopes?: readonly string[] | undefined;
  /** Name of this machine, which becomes part of the key's name. */
  deviceName?: string | undefined;
  /** Id of your program, if your vendor has registered it (default: `dbdepot-cli`). */
  clientId?: string | undefined;
  /** Shows the code and the URL to the person. */
  onPrompt(prompt: LoginPrompt): void;
  /** Replaces the interval that the service asks for. */
  intervalMs?: number | undefined;
}

/** Signs in with the browser (OAuth's device flow): waits until the person has approved, and returns a key. */
export async function login(options: LoginOptions): Promise<Login> {
  const { scopes = DEFAULT_SCOPES, deviceName, clientId = CLIENT_ID, signal } = options;
  const baseUrl = validBaseUrl(options.baseUrl);
  const server = await discover(baseUrl, options);
  const device = readDeviceCode(
    await server.post("device_authorization", {
      client_id: clientId,
      scope: scopes.join(" "),
      ...(deviceName && { device_name: deviceName }),
    }),
  );
  const { deviceCode, prompt } = device;
  options.onPrompt(prompt);
  let intervalMs = options.intervalMs ?? device.intervalMs;
  while (Date.now() < prompt.expires.getTime()) {
    await pause(intervalMs, signal);
    const form = { client_id: clientId, grant_type: DEVICE_CODE_GRANT, device_code: deviceCode };
    const tokens = await server.post("token", form).catch((error) => {
      // A broken connection must not end a sign-in that the person is just approving.
      if (error instanceof DbdepotError && error.retryable) return undefined;
      if (!(error instanceof OAuthFailure) || !WAITING.includes(error.error)) throw error;
      if (error.error === "slow_down") intervalMs += options.intervalMs === undefined ? SLOW_DOWN_MS : 0;
      return undefined;
    });
    if (tokens) return readLogin(tokens, { baseUrl, keyId: "", scopes });
  }
  throw new DbdepotError("timeout", EXPIRED);
}

/** Renews the key. The old refresh token no longer works, and the old key stops within a minute. */
export async function refreshLogin(
  login: Login,
  options: Connection & { clientId?: string | undefined } = {},
): Promise<Login> {
  const { clientId = CLIENT_ID } = options;
  const server = await connect(validBaseUrl(login.baseUrl), options);
  const form = { client_id: clientId, grant_type: "refresh_token", refresh_token: login.refreshToken };
  return readLogin(await server.post("token", form), login);
}

/** Ends the sign-in and revokes its key. */
export async function logout(
  { baseUrl, refreshToken }: Login,
  options: Connection & { clientId?: string | undefined } = {},
): Promise<void> {
  const server = await connect(validBaseUrl(baseUrl), options);
  await server.post("revoke", { client_id: options.clientId ?? CLIENT_ID, token: refreshToken });
}

const WAITING = ["authorization_pending", "slow_down"];
const EXPIRED = "the sign-in was not approved in time; try again";

const MESSAGES: Record<string, [DbdepotError["kind"], string]> = {
  access_denied: ["forbidden", "the sign-in was denied in the browser"],
  expired_token: ["timeout", EXPIRED],
  invalid_grant: ["unauthorized", "the sign-in has ended"],
  slow_down: ["rate_limited", "too many sign-ins from this address; wait a minute and try again"],
};

/** A refusal of the authorization server. */
class OAuthFailure extends DbdepotError {
  readonly error: string;

  constructor(error: string, description: string, status: number, requestId: string | null) {
    const [kind, message] = MESSAGES[error] ?? ["bad_request", `the service refused the sign-in: ${description}`];
    super(kind, `${message} (${status} ${error})`, { status, requestId, retryable: false });
    this.error = error;
  }
}

interface Server {
  post(
    endpoint: "device_authorization" | "token" | "revoke",
    form: Record<string, string>,
  ): Promise<Record<string, unknown>>;
}

/** Checks that the service lets programs sign in, and that it is the one that the address names. */
async function discover(baseUrl: string, options: Connection): Promise<Server> {
  const send = await createHttpSend(options);
  const url = new URL(`${baseUrl}/.well-known/oauth-authorization-server`);
  const response = await send({ method: "GET", url, headers: headersOf(options), signal: options.signal });
  const document = parseObject(await response.text());
  if (response.status !== 200 || typeof document?.issuer !== "string") {
    throw new DbdepotError(
      "not_found",
      `${baseUrl} does not let programs sign in (${response.status}): check the address, or use a key`,
      { status: response.status, requestId: response.header("x-request-id") },
    );
  }
  if (document.issuer !== baseUrl) {
    throw new DbdepotError(
      "bad_request",
      `the service at ${baseUrl} calls itself ${document.issuer.slice(0, 200)}: use that address`,
    );
  }
  return connect(baseUrl, options, send);
}

/** Every request goes to the service itself, at its documented addresses, so that no response can send a secret elsewhere. */
async function connect(baseUrl: string, options: Connection, opened?: Send): Promise<Server> {
  const send = opened ?? (await createHttpSend(options));
  return {
    async post(endpoint, form) {
      const response = await send({
        method: "POST",
        url: new URL(`${baseUrl}/oauth/${endpoint}`),
        headers: { ...headersOf(options), "content-type": "application/x-www-form-urlencoded" },
        body: new URLSearchParams(form).toString(),
        signal: options.signal,
      });
      const body = parseObject(await response.text());
      if (response.status === 200 && body) return body;
      const requestId = response.header("x-request-id");
      if (typeof body?.error === "string" && response.status < 500) {
        throw new OAuthFailure(body.error, String(body.error_description ?? body.error), response.status, requestId);
      }
      throw new DbdepotError("server", `the service failed (${response.status})`, {
        status: response.status,
        requestId,
        retryable: true,
      });
    },
  };
}

function headersOf({ userAgent }: Connection): Record<string, string> {
  return { accept: "application/json", ...(userAgent && { "user-agent": userAgent }) };
}
