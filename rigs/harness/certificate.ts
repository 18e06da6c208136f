import { execFile } from "node:child_process";
import { isIP } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";

/** The paths of a self-signed certificate and of its key. */
export interface Certificate {
  cert: string;
  key: string;
}

/** Creates a certificate for host names and addresses. Tests that call this need openssl: `needs("openssl")`. */
export async function createCertificate(directory: string, names: readonly string[], days = 2): Promise<Certificate> {
  const [cert, key] = [join(directory, "cert.pem"), join(directory, "key.pem")];
  const alternatives = names.map((name) => `${isIP(name) ? "IP" : "DNS"}:${name}`).join();
  const subject = ["-subj", "/CN=dbdepot test", "-addext", `subjectAltName=${alternatives}`];
  const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", String(days)];
  await promisify(execFile)("openssl", ["req", "-x509", ...curve, ...subject, "-keyout", key, "-out", cert]);
  return { cert, key };
}
