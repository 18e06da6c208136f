import { hash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { extname, join, relative } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { BRAND_META } from "@dbdepot/contract/console/brand";
import type { FastifyReply } from "fastify";
import { type Brand, brandToWire } from "../../domain/brand/brand.ts";
import { html } from "../../platform/primitives/html.ts";
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
  /** Smallest first. Fonts have none. */
  compressed: readonly Compressed[];
}

interface Compressed {
  encoding: string;
  document: Document;
}

/** Content codings with the extension of their files. */
const CODINGS = [
  { encoding: "br", extension: ".br", compress: brotliCompressSync },
  { encoding: "gzip", extension: ".gz", compress: gzipSync },
];

let files: Map<string, ConsoleFile> | undefined;
const branded = new WeakMap<Brand, Map<string, ConsoleFile>>();

/** Sends people who open the address of the service in a browser to the console. */
export function redirectToConsole({ reply }: RequestContext): FastifyReply {
  return reply.redirect("/console");
}

/** Serves a file of the console. Every other path is a page of the console, which its router shows. */
export function consoleFile({ services, request, reply, now }: RequestContext): FastifyReply {
  files ??= readFiles(now);
  const { brand } = services.console;
  const own = branded.get(brand) ?? brandedFiles(files, brand);
  branded.set(brand, own);
  const { "*": path = "" } = request.params as { "*"?: string };
  const fileAt = (each: string) => own.get(each) ?? files?.get(each);
  const file = fileAt(path) ?? (path.startsWith("assets/") ? undefined : fileAt("index.html"));
  if (!file) return sendError(reply, "NOT_FOUND");
  const accepted = request.headers["accept-encoding"] ?? "";
  const compressed = file.compressed.find(({ encoding }) => new RegExp(`\\b${encoding}\\b`).test(accepted));
  return reply.sendDocument(compressed?.document ?? file.plain);
}

/** The page with the vendor's name, and its brand for the scripts, and the icon in the vendor's colour. */
function brandedFiles(all: ReadonlyMap<string, ConsoleFile>, brand: Brand): Map<string, ConsoleFile> {
  const meta = html`<meta name="${BRAND_META}" content="${JSON.stringify(brandToWire(brand))}">`.text;
  const title = html`<title>${brand.name}</title>`.text;
  const changes: Record<string, (text: string) => string> = {
    "index.html": (text) => text.replace("<title>dbdepot</title>", () => `${title}\n    ${meta}`),
    "favicon.svg": (text) =>
      text.replace("<title>dbdepot</title>", () => title).replaceAll("#4653e0", brand.shades?.[6] ?? "#4653e0"),
  };
  return new Map(
    [...all].flatMap(([path, { plain }]) => {
      const change = changes[path];
      if (!change) return [];
      const body = Buffer.from(change(plain.body.toString()));
      const compressed = CODINGS.map(({ encoding, compress }) => {
        const headers = { ...plain.headers, "content-encoding": encoding };
        return { encoding, document: withBody({ ...plain, headers }, compress(body)) };
      });
      return [[path, { plain: withBody(plain, body), compressed }]];
    }),
  );
}

function withBody(document: Document, body: Buffer): Document {
  return { ...document, body, etag: etagOf(body) };
}

function etagOf(body: Buffer): string {
  return `"${hash("sha256", body, "base64url")}"`;
}

/** Reads all files once: they are small, and only an update changes them. */
function readFiles(modified: Date): Map<string, ConsoleFile> {
  const folder = FOLDERS.find((each) => existsSync(each));
  if (!folder) throw new Error("the console is not built: run `npm run build`");
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !CODINGS.some(({ extension }) => entry.name.endsWith(extension)))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
  return new Map(paths.map((path) => [path, readConsoleFile(folder, path, modified)]));
}

function readConsoleFile(folder: string, path: string, modified: Date): ConsoleFile {
  // The names of assets contain a hash of their content.
  const cacheControl = path.startsWith("assets/") ? "public, max-age=31536000, immutable" : "no-cache";
  const toDocument = (body: Buffer, headers: Record<string, string> = {}): Document => ({
    body,
    contentType: CONTENT_TYPES[extname(path)] ?? "application/octet-stream",
    etag: etagOf(body),
    modified,
    headers: { ...HEADERS, ...headers, "cache-control": cacheControl },
  });
  return {
    plain: toDocument(readFileSync(join(folder, path))),
    compressed: CODINGS.flatMap(({ encoding, extension }) => {
      const file = join(folder, path + extension);
      if (!existsSync(file)) return [];
      return [{ encoding, document: toDocument(readFileSync(file), { "content-encoding": encoding }) }];
    }),
  };
}
