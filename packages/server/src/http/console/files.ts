import { hash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { extname, join, relative } from "node:path";
import type { FastifyReply } from "fastify";
import { sendError } from "../errors.ts";
import type { Document } from "../plugins/conditional-requests.ts";
import type { RequestContext } from "../route.ts";

/** In the bundle the files are next to the program. The sources use what `npm run build` wrote. */
const FOLDERS = [join(import.meta.dirname, "console"), join(import.meta.dirname, "../../../dist/console")];

const CONTENT_TYPES: Record<string, string> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
};

/** Mantine sets sizes and colours in style attributes. Scripts only ever come from our files. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "font-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join("; ");

const HEADERS = {
  "content-security-policy": CONTENT_SECURITY_POLICY,
  "cross-origin-opener-policy": "same-origin",
  "referrer-policy": "no-referrer",
  vary: "accept-encoding",
  "x-content-type-options": "nosniff",
};

interface ConsoleFile {
  plain: Document;
  gzip: Document | undefined;
}

let files: Map<string, ConsoleFile> | undefined;

/** Sends people who open the address of the service in a browser to the console. */
export function redirectToConsole({ reply }: RequestContext): FastifyReply {
  return reply.redirect("/console");
}

/** Serves a file of the console. Every other path is a page of the console, which its router shows. */
export function consoleFile({ request, reply, now }: RequestContext): FastifyReply {
  files ??= readFiles(now);
  const { "*": path = "" } = request.params as { "*"?: string };
  const file = files.get(path) ?? (path.startsWith("assets/") ? undefined : files.get("index.html"));
  if (!file) return sendError(reply, "NOT_FOUND");
  const acceptsGzip = /\bgzip\b/.test(request.headers["accept-encoding"] ?? "");
  return reply.sendDocument((acceptsGzip && file.gzip) || file.plain);
}

/** Reads all files once: they are small, and only an update changes them. */
function readFiles(modified: Date): Map<string, ConsoleFile> {
  const folder = FOLDERS.find((each) => existsSync(each));
  if (!folder) throw new Error("the console is not built: run `npm run build`");
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith(".gz"))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
  return new Map(paths.map((path) => [path, readConsoleFile(folder, path, modified)]));
}

function readConsoleFile(folder: string, path: string, modified: Date): ConsoleFile {
  // The names of assets contain a hash of their content.
  const cacheControl = path.startsWith("assets/") ? "public, max-age=31536000, immutable" : "no-cache";
  const toDocument = (body: Buffer, headers: Record<string, string> = {}): Document => ({
    body,
    contentType: CONTENT_TYPES[extname(path)] ?? "application/octet-stream",
    etag: `"${hash("sha256", body, "base64url")}"`,
    modified,
    headers: { ...HEADERS, ...headers, "cache-control": cacheControl },
  });
  const compressed = join(folder, `${path}.gz`);
  return {
    plain: toDocument(readFileSync(join(folder, path))),
    gzip: existsSync(compressed) ? toDocument(readFileSync(compressed), { "content-encoding": "gzip" }) : undefined,
  };
}
