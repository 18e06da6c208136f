import { hostname } from "node:os";
import { type Command, examples, note, type Result } from "@dbdepot/terminal/command";
import { parseList } from "@dbdepot/terminal/values";
import { validBaseUrl } from "../client.ts";
import { login, logout } from "../login/login.ts";
import { VERSION } from "../version.ts";
import type { CommandContext, Run } from "./context.ts";
import { EXIT } from "./exit-codes.ts";
import { describe, SettingsError } from "./explanation.ts";
import { openBrowser } from "./login/browser.ts";

const USER_AGENT = `dbdepot/${VERSION}`;

export function addLoginCommands(program: Command, run: Run): void {
  program
    .command("login")
    .description("Sign in with your browser, and store the key for all commands")
    .option("--server <url>", "address of the service (default: the setting url)")
    .option(
      "--scopes <list>",
      "comma-separated scopes to ask for (default: db.download,account.read,org.read)",
      parseList,
    )
    .option("--no-browser", "do not open a browser")
    .addHelpText(
      "after",
      note(
        "Works over SSH: open the page that it prints on any device. The key goes into the system's keyring, or into a file that only you can read.",
      ),
    )
    .addHelpText(
      "after",
      examples("dbdepot login --server https://depot.example", "dbdepot login --scopes db.download,apikeys.manage"),
    )
    .action(run((context, options) => signIn(context, options)));
  program
    .command("logout")
    .description("Revoke the key of dbdepot login, and remove it from this machine")
    .option("--server <url>", "address of the service (default: the setting url, or the service of the last login)")
    .action(run((context, { server }) => signOut(context, server)));
}

async function signIn(
  context: CommandContext,
  { server, scopes, browser }: { server?: string; scopes?: string[]; browser: boolean },
): Promise<Result> {
  const { output, env, signals, logins, pollDelayMs } = context;
  const url = serverOf(context, server);
  const before = logins.find(url);
  const granted = await login({
    baseUrl: url,
    scopes,
    deviceName: hostname(),
    env,
    userAgent: USER_AGENT,
    signal: signals.stop,
    intervalMs: pollDelayMs,
    onPrompt({ userCode, url: page, completeUrl }) {
      // Printed with --json too: without it, the person could not sign in.
      const print = (text: string) => output.instruct(text);
      print(`Your code: ${userCode}`);
      const opened = browser && output.isInteractive ? openBrowser(completeUrl, new URL(url).origin, env) : false;
      void Promise.resolve(opened).then((isOpen) => {
        print(isOpen ? `Opened ${completeUrl} in your browser.` : `Open this page on any device: ${completeUrl}`);
        if (!isOpen && page !== completeUrl) print(`Or enter the code at ${page}`);
        print("Check that the page shows the same code, then approve. Waiting …");
      });
    },
  });
  const place = await logins.save(granted, { isDefault: true });
  if (before) await logout(before, { env, userAgent: USER_AGENT, signal: signals.stop }).catch(() => {});
  const { key, keyId: id, scopes: given, expires } = granted;
  const where = place === "keyring" ? "the system's keyring" : logins.path;
  const prefix = key.slice(0, key.lastIndexOf("_"));
  return {
    json: { server: url, id, key_prefix: prefix, scopes: given, expires, stored: place },
    text: `Signed in to ${url}.\n${output.details({ key: prefix, scopes: given.join(", "), expires: `${expires}, renewed while you use it`, stored: where })}`,
  };
}

async function signOut(context: CommandContext, server: string | undefined): Promise<Result> {
  const { env, output, signals, logins } = context;
  const url = findServer(context, server);
  if (url === undefined) return { json: { server: null, signed_out: false }, text: "You are not signed in.\n" };
  const found = logins.find(url);
  if (!found) {
    await logins.remove(url);
    return { json: { server: url, signed_out: false }, text: `You are not signed in to ${url}.\n` };
  }
  // The key is removed from this machine even if the service cannot be reached.
  const failure = await logout(found, { env, userAgent: USER_AGENT, signal: signals.stop }).catch((error) => error);
  await logins.remove(url);
  if (failure === undefined) return { json: { server: url, signed_out: true }, text: `Signed out of ${url}.\n` };
  const key = found.key.slice(0, found.key.lastIndexOf("_"));
  output.warn(`${describe(failure)}; the key ${key} was removed here but is still valid: revoke it in the console`);
  return { json: { server: url, signed_out: false }, text: "", exitCode: EXIT.failed };
}

function serverOf(context: CommandContext, server: string | undefined): string {
  const url = findServer(context, server);
  if (url !== undefined) return url;
  throw new SettingsError(["the service's URL is missing: pass --server, or set DBDEPOT_CLIENT_URL"]);
}

/** The service to sign in to or out of. */
function findServer({ read, logins }: CommandContext, server: string | undefined): string | undefined {
  const { settings, problems } = read({ ...(server !== undefined && { url: server }) }, { needsKey: false });
  // The setting has an option of its own, but the person has written --server.
  const own = problems.map((problem) => (server === undefined ? problem : problem.replace(/^--url: /, "--server: ")));
  if (own.length > 0) throw new SettingsError(own);
  const url = settings.url ?? logins.defaultUrl;
  return url === undefined ? undefined : validBaseUrl(url);
}
