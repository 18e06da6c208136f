import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type AccountClaims, type Configuration, Provider } from "oidc-provider";

const CLIENT = { id: "dbdepot", secret: "a secret of the client" };

/** The claims about each person, by the name they sign in with. */
export type People = Record<string, Omit<AccountClaims, "sub">>;

/** A real OpenID Connect provider. Everyone signs in with their name and any password. */
export async function startOidcServer(people: People) {
  let provider: Provider | undefined;
  let isDown = false;
  const server = createServer((request, response) => {
    if (provider && !isDown) provider.callback()(request, response);
    else request.socket.destroy();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    issuer,
    settings: {
      DBDEPOT_OIDC_ISSUER: issuer,
      DBDEPOT_OIDC_CLIENT_ID: CLIENT.id,
      DBDEPOT_OIDC_CLIENT_SECRET: CLIENT.secret,
      DBDEPOT_OIDC_NAME: "Example ID",
    },
    /** Tells the provider the address of the depot. Call it once the address is known. */
    register(apiUrl: string): void {
      provider = new Provider(issuer, configuration(apiUrl, people));
    },
    /** Drops connections instead of responding. */
    setDown(down: boolean): void {
      isDown = down;
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export type OidcServer = Awaited<ReturnType<typeof startOidcServer>>;

function configuration(apiUrl: string, people: People): Configuration {
  return {
    clients: [
      {
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        redirect_uris: [`${apiUrl}/api/console/oidc/callback`],
        response_types: ["code"],
        grant_types: ["authorization_code"],
      },
    ],
    claims: { openid: ["sub"], email: ["email", "email_verified"] },
    findAccount: (_context, name) => ({
      accountId: name,
      claims: () => ({ sub: name, ...people[name] }),
    }),
    cookies: { keys: ["a secret of the provider"] },
    pkce: { required: () => true },
  };
}

/** A browser without scripts that follows redirects and submits forms at the provider. */
export class ProviderVisitor {
  readonly #cookies = new Map<string, string>();

  /** Signs in at the provider and returns the URL to which it sends the browser back. */
  async signIn(url: string, name: string): Promise<string> {
    const { origin } = new URL(url);
    let next = url;
    let form: URLSearchParams | undefined;
    for (let step = 0; step < 20; step++) {
      const response = await fetch(next, {
        redirect: "manual",
        headers: { cookie: [...this.#cookies].map(([key, value]) => `${key}=${value}`).join("; ") },
        ...(form && { method: "POST", body: form }),
      });
      for (const cookie of response.headers.getSetCookie()) {
        const [key = "", value = ""] = (cookie.split(";")[0] ?? "").split("=");
        this.#cookies.set(key, value);
      }
      const page = await response.text();
      const location = response.headers.get("location");
      if (location) {
        next = new URL(location, next).href;
        form = undefined;
        if (!next.startsWith(origin)) return next;
        continue;
      }
      const action = /<form[^>]* action="([^"]+)"/.exec(page)?.[1];
      const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1];
      if (!action || !prompt) throw new Error(`the provider shows no form: ${response.status} ${page}`);
      next = new URL(action, next).href;
      form = new URLSearchParams({ prompt, ...(prompt === "login" && { login: name, password: "any" }) });
    }
    throw new Error("the provider redirects forever");
  }
}
