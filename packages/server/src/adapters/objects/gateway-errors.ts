/** The gateway's error responses, with the codes and statuses of S3. */
export const GATEWAY_ERRORS = {
  AccessDenied: { status: 403, message: "Access Denied" },
  AuthorizationQueryParametersError: { status: 400, message: "The signature parameters are malformed" },
  InternalError: { status: 500, message: "We encountered an internal error. Please try again." },
  InvalidAccessKeyId: { status: 403, message: "The link was signed with an unknown access key id" },
  InvalidArgument: { status: 400, message: "Invalid Argument" },
  InvalidRange: { status: 416, message: "The requested range is not satisfiable" },
  InvalidURI: { status: 400, message: "Couldn't parse the specified URI." },
  MethodNotAllowed: { status: 405, message: "The specified method is not allowed against this resource." },
  NoSuchKey: { status: 404, message: "The specified key does not exist." },
  PreconditionFailed: { status: 412, message: "At least one of the preconditions you specified did not hold" },
  SignatureDoesNotMatch: {
    status: 403,
    message: "The signature does not match the request: use the link unchanged, with the method that it was made for",
  },
  SlowDown: { status: 503, message: "Please reduce your request rate." },
} as const;

export type GatewayErrorCode = keyof typeof GATEWAY_ERRORS;

/** An error body that S3 clients understand. */
export function errorXml(code: GatewayErrorCode, message: string, requestId: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${escapeXml(message)}</Message><RequestId>${requestId}</RequestId></Error>`;
}

function escapeXml(text: string): string {
  return text.replace(/[<>&]/g, (character) => `&#${character.charCodeAt(0)};`);
}
