import { spawn } from "node:child_process";

type Environment = Record<string, string | undefined>;

/** The command that opens a URL here. Undefined over SSH and on machines without a screen. */
function opener(env: Environment, platform: NodeJS.Platform): [command: string, ...options: string[]] | undefined {
  if (env.SSH_CONNECTION || env.SSH_TTY || env.CI) return undefined;
  if (platform === "darwin") return ["open"];
  if (platform === "win32") return ["rundll32", "url.dll,FileProtocolHandler"];
  if (env.BROWSER && !env.BROWSER.includes(" ")) return [env.BROWSER];
  return env.DISPLAY || env.WAYLAND_DISPLAY ? ["xdg-open"] : undefined;
}

/** Opens the page in the person's browser. Returns false if that is not possible: then the person opens it. */
export async function openBrowser(url: string, origin: string, env: Environment, platform = process.platform) {
  const command = opener(env, platform);
  // The URL comes from the service, and some openers also start programs.
  if (!command || !URL.canParse(url) || new URL(url).origin !== origin) return false;
  const [program, ...options] = command;
  return new Promise<boolean>((resolve) => {
    const child = spawn(program, [...options, url], { stdio: "ignore", detached: true, env });
    child.once("error", () => resolve(false));
    child.once("spawn", () => {
      child.unref();
      resolve(true);
    });
  });
}
