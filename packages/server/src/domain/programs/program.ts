import { isIP } from "node:net";
import type { Scope } from "@dbdepot/contract/shared/scopes";

/** A program that people can sign in with: an OAuth client without a secret. */
export interface Program {
  id: string;
  /** Shown to the person who approves, and part of the key's name. */
  name: string;
  /** The URLs to which the authorization code flow may send the browser. If empty, only the device flow works. */
  redirects: readonly string[];
  /** Scopes that the program needs but does not ask for. */
  implied: readonly Scope[];
}

/** A loopback address without a path accepts every port and path: only programs on the person's machine receive it. */
const LOOPBACK = ["http://127.0.0.1", "http://[::1]", "http://localhost"];

const BUILT_IN: readonly Program[] = [
  { id: "dbdepot-cli", name: "dbdepot", redirects: LOOPBACK, implied: [] },
  // It downloads with the key that it gets, but asks only for the scopes that its own server needs to hand out a key.
  { id: "internetdata-cli", name: "InternetData CLI", redirects: LOOPBACK, implied: ["db.download"] },
];

const ID = /^[A-Za-z0-9._-]{1,64}$/;
const NAME_MAX_LENGTH = 40;

export type Programs = ReadonlyMap<string, Program>;

export function programsOf(more: readonly Program[] = []): Programs {
  return new Map([...BUILT_IN, ...more].map((program) => [program.id, program]));
}

/** Parses `id=name,redirect…;id=name`. Throws an error that says what is wrong. */
export function parsePrograms(text: string): Program[] {
  const programs = text
    .split(";")
    .map((part) => part.trim())
    .filter((part) => part !== "")
    .map(parseProgram);
  const known = programsOf();
  const seen = new Set<string>();
  for (const { id } of programs) {
    if (known.has(id)) throw new Error(`"${id}" is the id of a program that is built in: choose another one`);
    if (seen.has(id)) throw new Error(`"${id}" is listed twice`);
    seen.add(id);
  }
  return programs;
}

function parseProgram(text: string): Program {
  const [, id = "", rest = ""] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
  const [name = "", ...redirects] = rest.split(",").map((part) => part.trim());
  if (!ID.test(id.trim())) {
    throw new Error(`"${text}" must be like desktop=Desktop app,https://app.example.com/callback`);
  }
  if (name === "" || name.length > NAME_MAX_LENGTH || /\p{Cc}/u.test(name)) {
    throw new Error(`the name of "${id.trim()}" must have 1 to ${NAME_MAX_LENGTH} characters`);
  }
  for (const redirect of redirects) {
    if (!isSafeRedirect(redirect)) {
      throw new Error(
        `"${redirect}" must be an https:// URL, an http:// URL of this machine (127.0.0.1, [::1] or localhost), or have a scheme with a dot such as com.example.app:/callback`,
      );
    }
  }
  return { id: id.trim(), name, redirects, implied: [] };
}

/** Codes must not travel unencrypted, and a scheme without a dot could be one that browsers run, such as `javascript:`. */
function isSafeRedirect(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || url.username || url.password || url.hash) return false;
  return url.protocol === "https:" || isLoopback(url) || /^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+:$/.test(url.protocol);
}

/** Whether the browser may be sent to `redirect`: exactly as registered, except for the port of a loopback address. */
export function acceptsRedirect({ redirects }: Program, redirect: string): boolean {
  if (redirects.includes(redirect)) return true;
  const url = URL.canParse(redirect) ? new URL(redirect) : undefined;
  if (!url || !isLoopback(url) || url.username || url.password || url.hash) return false;
  return redirects.some((registered) => {
    const known = new URL(registered);
    if (!isLoopback(known) || known.hostname !== url.hostname) return false;
    return known.pathname === "/" ? true : known.pathname === url.pathname && known.search === url.search;
  });
}

function isLoopback({ protocol, hostname }: URL): boolean {
  const host = hostname.replace(/^\[|\]$/g, "");
  return (
    protocol === "http:" && (host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127.")))
  );
}
