import type { Command } from "@dbdepot/terminal/command";
import type { Identity } from "../api/wire.gen.ts";
import type { Run } from "./context.ts";

export function addWhoamiCommand(program: Command, run: Run): void {
  program
    .command("whoami")
    .description("Show what your key is and what it may do")
    .action(
      run(async ({ output, client, read, settings, signals }) => {
        const used = settings();
        const identity = await client(used).identity({ signal: signals.stop });
        // After a login, people ask which service they are signed in to.
        const login = used.isLogin ? { server: used.url, "signed in": read().found.get("key")?.source } : {};
        return { json: identity, text: output.details({ ...login, ...facts(identity) }) };
      }),
    );
}

function facts(identity: Identity) {
  const { org, org_name: orgName, apikey_id: id, name, key_prefix: prefix, allowed_cidrs: cidrs, scopes } = identity;
  // Absent in responses of older servers.
  const { account_id: accountId } = identity as Partial<Identity>;
  return {
    // Older servers send the id alone.
    organization: org === null ? "none (operator key)" : `${orgName} (${typeof org === "string" ? org : org.id})`,
    ...(accountId && { account: String(accountId) }),
    key: `${prefix} "${name}"`,
    id,
    scopes: scopes.join(", ") || "none",
    cidrs: cidrs.join(", ") || "any",
    expires: identity.expires ?? "never",
  };
}
