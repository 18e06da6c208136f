import type { IncomingMessage } from "node:http";
import type { ErrorCode } from "@dbdepot/contract/errors";
import type { TSchema } from "typebox";
import { Compile } from "typebox/compile";
import type { TLocalizedValidationError } from "typebox/error";

const BODY_MAX_BYTES = 64 * 1024;

/** A body that is not even looked into. */
export class BodyRefused extends Error {
  readonly code: ErrorCode;

  constructor(code: ErrorCode) {
    super(code);
    this.code = code;
  }
}

/** A body that is JSON, but not what the route takes. */
export class BodyInvalid extends Error {
  readonly faults: TLocalizedValidationError[];

  constructor(faults: TLocalizedValidationError[]) {
    super("the body does not fit the schema");
    this.faults = faults;
  }
}

/**
 * JSON is the only body that this service reads. Bytes that are no UTF-8 are refused instead of replaced, so that
 * nothing is stored that was never sent. No body at all is left to the schema, whatever the Content-Type says of it:
 * many clients always send that header.
 */
export function bodyReader(schema: TSchema, isOptional: boolean): (raw: IncomingMessage) => Promise<unknown> {
  let compiled: ReturnType<typeof Compile> | undefined;
  return async (raw) => {
    const body = await readJson(raw);
    if (isOptional && (body === undefined || body === null)) return null;
    const value = body ?? null;
    // When it is first needed: most of a server's life nobody asks for most of them.
    compiled ??= Compile(schema);
    const check = compiled;
    if (!check.Check(value)) throw new BodyInvalid(check.Errors(value));
    return value;
  };
}

async function readJson(raw: IncomingMessage): Promise<unknown> {
  if (!hasBody(raw)) return undefined;
  const [type = ""] = (raw.headers["content-type"] ?? "").split(";");
  const isJson = type.trim().toLowerCase() === "application/json";
  if (!isJson) throw new BodyRefused("UNSUPPORTED_MEDIA_TYPE");
  const bytes = await readUpTo(raw, BODY_MAX_BYTES);
  if (bytes.length === 0) return undefined;
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw new BodyRefused("INVALID_REQUEST");
  }
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}

async function readUpTo(raw: IncomingMessage, maxBytes: number): Promise<Buffer> {
  if (Number(raw.headers["content-length"] ?? 0) > maxBytes) throw new BodyRefused("TOO_LARGE");
  const parts: Buffer[] = [];
  let sizeBytes = 0;
  // The connection must outlive it: what is too large is answered.
  for await (const bytes of raw.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    sizeBytes += bytes.length;
    if (sizeBytes > maxBytes) throw new BodyRefused("TOO_LARGE");
    parts.push(bytes);
  }
  return Buffer.concat(parts);
}
