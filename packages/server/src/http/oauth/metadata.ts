import { type AuthorizationServer, GRANT_TYPES } from "@dbdepot/contract/oauth/oauth";
import { CUSTOMER_SCOPES } from "@dbdepot/contract/shared/scopes";

/** Describes to programs how to sign in. The API reference shows the same document as an example. */
export function metadataOf(issuer: string): AuthorizationServer {
  return {
    issuer,
    authorization_endpoint: `${issuer}/oauth/authorize`,
    token_endpoint: `${issuer}/oauth/token`,
    device_authorization_endpoint: `${issuer}/oauth/device_authorization`,
    revocation_endpoint: `${issuer}/oauth/revoke`,
    scopes_supported: [...CUSTOMER_SCOPES],
    response_types_supported: ["code"],
    response_modes_supported: ["query"],
    grant_types_supported: [...GRANT_TYPES],
    code_challenge_methods_supported: ["S256"],
    token_endpoint_auth_methods_supported: ["none"],
    revocation_endpoint_auth_methods_supported: ["none"],
    authorization_response_iss_parameter_supported: true,
    service_documentation: `${issuer}/docs`,
  };
}
