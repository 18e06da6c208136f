import { hash } from "node:crypto";
import { createReadStream, existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { ClientPackages } from "@dbdepot/contract/shared/client-packages";
import type { FastifyReply } from "fastify";
import { sendError } from "./errors.ts";
import { publish } from "./openapi/published.ts";
import type { RequestContext, Services } from "./route.ts";

const NAME = "dbdepot-client.tgz";
/** In the bundle the file is next to the program. The sources use what `npm run build` wrote. */
const PATHS = [join(import.meta.dirname, NAME), join(import.meta.dirname, "../../dist", NAME)];

let tarball: Buffer | undefined;

/**
 * Serves the client, so that customers install it from the service they trust with their key. They must never install it by
 * name from a public registry, where anyone could register the name.
 */
export const clientPackage = publish(() => {
  const body = readTarball();
  return {
    body,
    contentType: "application/gzip",
    headers: { "repr-digest": `sha-256=:${hash("sha256", body, "base64")}:` },
  };
});

/** The digest, as `sha256sum --check` reads it. */
export const clientDigest = publish(() => ({
  body: `${clientSha256()}  ${NAME}\n`,
  contentType: "text/plain; charset=utf-8",
}));

export function clientSha256(): string {
  return hash("sha256", readTarball());
}

/** Reads it once: it is small, and only an update changes it. */
function readTarball(): Buffer {
  const path = PATHS.find((each) => existsSync(each));
  if (!path) throw new Error("the client is not packed: run `npm run build`");
  tarball ??= readFileSync(path);
  return tarball;
}

/** Reads the list of packages once. Empty if the operator has not unpacked them. */
export function readSystemPackages(directory: string): Services["systemPackages"] {
  const sums = join(directory, "SHA256SUMS");
  if (!existsSync(sums)) return new Map();
  const lines = readFileSync(sums, "utf8").matchAll(/^([0-9a-f]{64}) {2}(dbdepot[\w.-]+)$/gm);
  return new Map(
    [...lines].map(([, sha256 = "", name = ""]) => {
      const path = join(directory, name);
      return [name, { path, sha256, sizeBytes: statSync(path).size }];
    }),
  );
}

/** Lists the packages, so that pages can offer the right one. */
export function listPackages({ services, reply }: RequestContext): FastifyReply {
  const packages = [...services.systemPackages].map(([name, { sha256, sizeBytes }]) => ({
    name,
    size: sizeBytes,
    sha256,
  }));
  const body: ClientPackages = { packages };
  return reply.header("cache-control", "public, max-age=300").send(body);
}

/** Serves a package, or its digest in the format of `sha256sum --check`. */
export function systemPackage({ services, request, reply }: RequestContext): FastifyReply {
  const { file = "" } = request.params as { file?: string };
  const name = file.replace(/\.sha256$/, "");
  const found = services.systemPackages.get(name);
  if (!found) return sendError(reply, "NOT_FOUND");
  const { path, sha256, sizeBytes } = found;
  reply.header("cache-control", "no-cache").header("x-content-type-options", "nosniff");
  if (name !== file) return reply.type("text/plain; charset=utf-8").send(`${sha256}  ${name}\n`);
  return reply
    .type("application/octet-stream")
    .header("content-length", sizeBytes)
    .header("etag", `"${sha256}"`)
    .header("repr-digest", `sha-256=:${Buffer.from(sha256, "hex").toString("base64")}:`)
    .send(request.method === "HEAD" ? undefined : createReadStream(path));
}
