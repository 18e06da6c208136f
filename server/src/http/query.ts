import type { Request } from "./request.ts";

/** One parameter as it was sent; undefined when it is absent, and when it is there twice. */
export function parameter(request: Request, name: string): string | undefined {
  const value = request.query[name];
  return typeof value === "string" ? value : undefined;
}
