import { CUSTOMER_SCOPES } from "@dbdepot/contract/shared/scopes";

export const NO_KNOWN_SCOPE = `scope has none that this service knows: ${CUSTOMER_SCOPES.join(", ")}.`;

const HOST_NAME = /^[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/;

/** The name of the program's machine. Anything that does not look like one is ignored, because it is shown to people. */
export function hostName(text: string | undefined): string | null {
  return text !== undefined && HOST_NAME.test(text) ? text : null;
}

/** Whether a program wants a key for another service (RFC 8707), to which it would then send ours. */
export function isForeignResource(resource: string | undefined, publicUrl: string): boolean {
  if (resource === undefined || resource === "") return false;
  return !URL.canParse(resource) || new URL(resource).origin !== publicUrl;
}
