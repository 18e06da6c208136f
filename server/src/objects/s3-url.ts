import { isObjectKey } from "./object-key.ts";

/** Where an S3 store lies, from `s3://bucket/prefix?region=…&endpoint=…&pathStyle=true`. */
export interface S3Address {
  bucket: string;
  /** Before every key, without a "/" at either end; empty for none. */
  prefix: string;
  region: string;
  /** Undefined: AWS. */
  endpoint: string | undefined;
  /** The bucket stands in the path of an address, not in its host name. */
  pathStyle: boolean;
  /** Off for a server that does not know `If-None-Match` on a write and refuses it; key clashes are then found by looking first only. */
  conditionalWrites: boolean;
}

const PARAMETERS = ["region", "endpoint", "pathStyle", "conditionalWrites"];
const DEFAULT_REGION = "us-east-1";

/** Fails with every fault there is, in one line. */
export function parseS3Url(text: string): S3Address {
  if (!/^s3:\/\//i.test(text) || !URL.canParse(text))
    throw new Error("must be like s3://bucket/prefix?region=eu-west-1");
  const url = new URL(text);
  const given = url.searchParams;
  const prefix = decodePrefix(url.pathname);
  const region = given.get("region") ?? (given.has("endpoint") ? DEFAULT_REGION : "");
  const faults: string[] = [];

  if (url.username || url.password)
    faults.push("keys do not belong here, but in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY");
  if (url.host === "") faults.push("the bucket is missing");
  else if (!/^[A-Za-z0-9][A-Za-z0-9._-]{1,254}$/.test(url.host)) faults.push(`"${url.host}" cannot be a bucket's name`);
  if (prefix === undefined) faults.push(`"${url.pathname}" cannot be a prefix`);
  if (!/^[a-z0-9-]+$/.test(region)) faults.push(region ? `"${region}" is no region` : "region is missing");
  if (given.has("endpoint") && !isEndpoint(given.get("endpoint") ?? "")) {
    faults.push("endpoint must be like https://s3.example.com");
  }
  for (const flag of ["pathStyle", "conditionalWrites"]) {
    if (given.has(flag) && !/^(true|false)$/.test(given.get(flag) ?? "")) faults.push(`${flag} must be true or false`);
  }
  for (const name of new Set(given.keys())) {
    if (!PARAMETERS.includes(name)) faults.push(`there is no "${name}", only ${PARAMETERS.join(", ")}`);
    else if (given.getAll(name).length > 1) faults.push(`${name} is given twice`);
  }
  if (url.hash) faults.push("a # has no meaning here; write it as %23");

  if (faults.length > 0 || prefix === undefined) throw new Error(faults.join("; "));
  return {
    bucket: url.host,
    prefix,
    region,
    endpoint: given.get("endpoint")?.replace(/\/+$/, ""),
    pathStyle: given.get("pathStyle") === "true",
    conditionalWrites: given.get("conditionalWrites") !== "false",
  };
}

function decodePrefix(pathname: string): string | undefined {
  try {
    const prefix = decodeURIComponent(pathname).replace(/^\/|\/$/g, "");
    return prefix === "" || isObjectKey(prefix) ? prefix : undefined;
  } catch {
    return undefined;
  }
}

function isEndpoint(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  return /^https?:$/.test(url.protocol) && !url.username && !url.password && !url.search && !url.hash;
}
