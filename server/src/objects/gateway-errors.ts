/** What the gateway answers when it does not send the object: S3's codes and statuses. */
export const GATEWAY_ERRORS = {
  AccessDenied: { status: 403, message: "Access Denied" },
  AuthorizationQueryParametersError: { status: 400, message: "The parameters of the signature are not well-formed" },
  InternalError: { status: 500, message: "We encountered an internal error. Please try again." },
  InvalidAccessKeyId: { status: 403, message: "The access key id that the link was signed with is not known here" },
  InvalidArgument: { status: 400, message: "Invalid Argument" },
  InvalidRange: { status: 416, message: "The requested range is not satisfiable" },
  InvalidURI: { status: 400, message: "Couldn't parse the specified URI." },
  MethodNotAllowed: { status: 405, message: "The specified method is not allowed against this resource." },
  NoSuchKey: { status: 404, message: "The specified key does not exist." },
  PreconditionFailed: { status: 412, message: "At least one of the preconditions you specified did not hold" },
  SignatureDoesNotMatch: {
    status: 403,
    message: "The signature does not match the request: use the link as it was given, and with its own method",
  },
  SlowDown: { status: 503, message: "Please reduce your request rate." },
} as const;

export type GatewayErrorCode = keyof typeof GATEWAY_ERRORS;

/** The body of an error, in the shape that S3 clients read. */
export function errorXml(code: GatewayErrorCode, message: string, requestId: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${escapeXml(message)}</Message><RequestId>${requestId}</RequestId></Error>`;
}

function escapeXml(text: string): string {
  return text.replace(/[<>&]/g, (character) => `&#${character.charCodeAt(0)};`);
}
