import { DEVICE_CODE_GRANT } from "@dbdepot/contract/oauth/oauth";
import { metadataOf } from "../../oauth/metadata.ts";
import { KEY_ID } from "./examples.ts";
import type { NotesByRoute } from "./notes.ts";

const ISSUER = "https://depot.example";
const CODE = "Zk3v9Xq2aJr8Lw1Tn5Ye7Bc4Hd6Gf0Ks3Mp9Qu2Vx5A";
const KEY = "dbd_7Kq2mX9a_Vt4nZ8cR1yLw6Bd3Hs0Jf5Gk2Qe7Mp9Tx1uA3Cw5";

export const OAUTH_NOTES: NotesByRoute = {
  "GET /.well-known/oauth-authorization-server": {
    operationId: "oauthMetadata",
    tag: "Sign in",
    curl: 'curl -fsS "$DBDEPOT_CLIENT_URL/.well-known/oauth-authorization-server"',
    responses: { 200: { description: "The document.", example: metadataOf(ISSUER) } },
  },
  "POST /oauth/device_authorization": {
    operationId: "oauthDeviceAuthorization",
    tag: "Sign in",
    curl: curl("device_authorization", { client_id: "dbdepot-cli", scope: "db.download" }),
    request: {
      description: "A program on a server asks to download.",
      example: { client_id: "dbdepot-cli", scope: "db.download", device_name: "build-7" },
    },
    responses: {
      200: {
        description: "The codes.",
        example: {
          device_code: CODE,
          user_code: "BCDFG-HJKLM",
          verification_uri: `${ISSUER}/console/device`,
          verification_uri_complete: `${ISSUER}/console/device?user_code=BCDFG-HJKLM`,
          expires_in: 900,
          interval: 5,
        },
      },
    },
  },
  "GET /oauth/authorize": {
    operationId: "oauthAuthorize",
    tag: "Sign in",
    responses: {
      302: {
        description: "A redirect to the consent page of the console, or back to the program with `error`. No body.",
      },
      400: { description: "The program or its redirect is unknown. A page that says so.", files: ["text/html"] },
    },
  },
  "POST /oauth/token": {
    operationId: "oauthToken",
    tag: "Sign in",
    curl: curl("token", { client_id: "dbdepot-cli", grant_type: DEVICE_CODE_GRANT, device_code: "$DEVICE_CODE" }),
    request: {
      description: "The program polls with its device code.",
      example: { grant_type: DEVICE_CODE_GRANT, client_id: "dbdepot-cli", device_code: CODE },
    },
    responses: {
      200: {
        description: "The key.",
        example: {
          access_token: KEY,
          token_type: "Bearer",
          expires_in: 7_776_000,
          refresh_token: CODE,
          scope: "db.download",
          "mslm:apikey": KEY,
          "mslm:apikey_id": KEY_ID,
        },
      },
    },
  },
  "POST /oauth/revoke": {
    operationId: "oauthRevoke",
    tag: "Sign in",
    curl: curl("revoke", { client_id: "dbdepot-cli", token: "$REFRESH_TOKEN" }),
    request: { description: "The program signs out.", example: { client_id: "dbdepot-cli", token: CODE } },
    responses: { 200: { description: "An empty object, whichever token was sent.", files: ["application/json"] } },
  },
};

function curl(endpoint: string, form: Record<string, string>): string {
  const fields = Object.entries(form).map(([name, value]) => `--data-urlencode "${name}=${value}"`);
  return `curl -sS "$DBDEPOT_CLIENT_URL/oauth/${endpoint}" \\\n  ${fields.join(" \\\n  ")}`;
}
