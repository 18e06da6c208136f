import Type, { type Static } from "typebox";

/** The authorization server for programs: RFC 8414, 8628, 6749, 7636, 7009 and 9207. */

export const DEVICE_CODE_GRANT = "urn:ietf:params:oauth:grant-type:device_code";
export const GRANT_TYPES = [DEVICE_CODE_GRANT, "authorization_code", "refresh_token"] as const;

const OAUTH_ERRORS = [
  "access_denied",
  "authorization_pending",
  "expired_token",
  "invalid_client",
  "invalid_grant",
  "invalid_request",
  "invalid_scope",
  "invalid_target",
  "server_error",
  "slow_down",
  "temporarily_unavailable",
  "unsupported_grant_type",
] as const;
export type OAuthErrorCode = (typeof OAUTH_ERRORS)[number];

export const OAuthError = Type.Object(
  {
    error: Type.Enum([...OAUTH_ERRORS], { description: "The error, as OAuth names it." }),
    error_description: Type.String({ description: "What went wrong and what to do next.", examples: ["…"] }),
  },
  { title: "OAuthError", additionalProperties: false, description: "An error of OAuth." },
);
export type OAuthError = Static<typeof OAuthError>;

const url = (description: string, path: string) =>
  Type.String({ format: "uri", description, examples: [`https://depot.example${path}`] });
const texts = (description: string, examples: readonly string[]) =>
  Type.Array(Type.String(), { description, examples: [[...examples]] });

export const AuthorizationServer = Type.Object(
  {
    issuer: url("The service's own URL.", ""),
    authorization_endpoint: url("Where programs send the browser.", "/oauth/authorize"),
    token_endpoint: url("Where programs get their key.", "/oauth/token"),
    device_authorization_endpoint: url("Where the device flow begins.", "/oauth/device_authorization"),
    revocation_endpoint: url("Where programs sign out.", "/oauth/revoke"),
    scopes_supported: texts("Scopes that programs can ask for.", ["db.download"]),
    response_types_supported: texts("Always `code`.", ["code"]),
    response_modes_supported: texts("Always `query`.", ["query"]),
    grant_types_supported: texts("What the token endpoint accepts.", GRANT_TYPES),
    code_challenge_methods_supported: texts("Always `S256`.", ["S256"]),
    token_endpoint_auth_methods_supported: texts("Always `none`: programs have no secret.", ["none"]),
    revocation_endpoint_auth_methods_supported: texts("Always `none`.", ["none"]),
    authorization_response_iss_parameter_supported: Type.Boolean({
      description: "Always true: the browser returns with `iss`.",
    }),
    service_documentation: url("The API reference.", "/docs"),
  },
  { title: "AuthorizationServer", additionalProperties: false, description: "How programs can sign in (RFC 8414)." },
);
export type AuthorizationServer = Static<typeof AuthorizationServer>;

const text = (description: string, example: string, maxLength = 2000) =>
  Type.String({ maxLength, description, examples: [example] });
const ClientId = text("The program's id.", "dbdepot-cli", 200);
const Scope = text(
  "Scopes, separated by spaces (default: `db.download`). Unknown ones are dropped. If all are unknown, the error is `invalid_scope`.",
  "db.download org.read",
);
const Resource = text(
  "URL of the API that the key is for. Must be this service, if it is given.",
  "https://depot.example",
);
const DeviceName = text("Name of the machine, which becomes part of the key's name.", "build-7");

/** Unknown parameters are ignored, as OAuth demands. */
export const DeviceAuthorizationRequest = Type.Object(
  {
    client_id: ClientId,
    scope: Type.Optional(Scope),
    resource: Type.Optional(Resource),
    device_name: Type.Optional(DeviceName),
  },
  { title: "DeviceAuthorizationRequest", description: "The program that wants to sign in." },
);
export type DeviceAuthorizationRequest = Static<typeof DeviceAuthorizationRequest>;

export const DeviceAuthorization = Type.Object(
  {
    device_code: Type.String({ description: "For the program: send it to the token endpoint." }),
    user_code: Type.String({ description: "For the person: show it.", examples: ["BCDFG-HJKLM"] }),
    verification_uri: url("Where the person enters the code.", "/console/device"),
    verification_uri_complete: url("The same page with the code filled in.", "/console/device?user_code=BCDFG-HJKLM"),
    expires_in: Type.Integer({ description: "Seconds until the codes expire.", examples: [900] }),
    interval: Type.Integer({ description: "Seconds to wait between two polls.", examples: [5] }),
  },
  { title: "DeviceAuthorization", additionalProperties: false, description: "The codes of the device flow." },
);
export type DeviceAuthorization = Static<typeof DeviceAuthorization>;

export const TokenRequest = Type.Object(
  {
    grant_type: text("What the program exchanges.", DEVICE_CODE_GRANT, 200),
    client_id: ClientId,
    device_code: Type.Optional(text("For the device flow.", "Zk3v9Xq2a")),
    code: Type.Optional(text("For `authorization_code`.", "Zk3v9Xq2a")),
    redirect_uri: Type.Optional(
      text("For `authorization_code`: the same as in the first request.", "http://127.0.0.1:51004/callback"),
    ),
    code_verifier: Type.Optional(text("For `authorization_code`: the secret behind `code_challenge`.", "a".repeat(43))),
    refresh_token: Type.Optional(text("For `refresh_token`.", "Zk3v9Xq2a")),
    scope: Type.Optional(text("Ignored: the key keeps its scopes.", "db.download")),
    resource: Type.Optional(Resource),
  },
  { title: "TokenRequest", description: "What the program exchanges for a key." },
);
export type TokenRequest = Static<typeof TokenRequest>;

export const TokenResponse = Type.Object(
  {
    access_token: Type.String({ description: "An API key." }),
    token_type: Type.Literal("Bearer"),
    expires_in: Type.Integer({ description: "Seconds until the key ends.", examples: [7_776_000] }),
    refresh_token: Type.String({ description: "Renews the key, once. The response contains the next one." }),
    scope: Type.String({ description: "The key's scopes, separated by spaces.", examples: ["db.download"] }),
    "mslm:apikey": Type.Optional(
      Type.String({
        description:
          "The key again. Only in the first response: a program that stores it elsewhere must not refresh it.",
      }),
    ),
    "mslm:apikey_id": Type.String({ format: "uuid", description: "Id of the key, which stays the same." }),
  },
  { title: "TokenResponse", additionalProperties: false, description: "A key, and the token that renews it." },
);
export type TokenResponse = Static<typeof TokenResponse>;

export const RevokeTokenRequest = Type.Object(
  {
    token: Type.Optional(Type.String({ description: "A key or a refresh token of a sign-in. Required." })),
    client_id: Type.Optional(Type.String({ description: "The program's id.", examples: ["dbdepot-cli"] })),
    token_type_hint: Type.Optional(Type.String({ description: "Not needed." })),
  },
  { title: "RevokeTokenRequest", description: "The sign-in to end." },
);
export type RevokeTokenRequest = Static<typeof RevokeTokenRequest>;

export const AuthorizeQuery = Type.Object({
  response_type: Type.Optional(text("Must be `code`.", "code")),
  client_id: Type.Optional(ClientId),
  redirect_uri: Type.Optional(
    text("One of the program's redirects. Loopback addresses can have any port.", "http://127.0.0.1:51004/callback"),
  ),
  code_challenge: Type.Optional(
    text("SHA-256 of the verifier, in base64url.", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"),
  ),
  code_challenge_method: Type.Optional(text("Must be `S256`.", "S256")),
  state: Type.Optional(text("Returned unchanged.", "af0ifjsldkj")),
  scope: Type.Optional(Scope),
  resource: Type.Optional(Resource),
  device_name: Type.Optional(DeviceName),
});
