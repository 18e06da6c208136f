import { hash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { publish } from "./openapi/published.ts";

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
