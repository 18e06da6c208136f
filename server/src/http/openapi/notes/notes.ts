import type { HeaderName, RequestHeader } from "../headers.ts";

/** How the document is divided, in the order of reading. */
export const TAGS = {
  Databases:
    "What there is, what you may fetch, and what you have fetched. Every address needs a key with the scope `db.download`.",
  Keys: "For whoever looks after your organization's keys. Every address needs a key with the scope `apikeys.manage`, sent as `Authorization: Bearer`.",
  "Legacy v1":
    "For clients from before v2. Every address takes a UUID key in the `apikey` parameter, and none other. The key's own list of ids says what it may fetch.",
  Documentation: "This description, for programs and for people. It needs no key.",
} as const;

/** What the document says of a route beyond the route itself. */
export interface Notes {
  operationId: string;
  tag: keyof typeof TAGS;
  /** A request to paste into a shell. */
  curl: string;
  pathParameters?: Readonly<Record<string, string>>;
  requestHeaders?: readonly RequestHeader[];
  /** Where there is a body. */
  request?: { description: string; example: unknown };
  /** By status; errors with a code come from the route. */
  answers: Readonly<Record<string, AnswerNotes>>;
}

export interface AnswerNotes {
  description: string;
  headers?: readonly HeaderName[];
  /** A JSON body of the route's schema. */
  example?: unknown;
  /** A body of these media types instead. */
  files?: readonly string[];
}

/** By method and address, as in the table of routes. */
export type NotesByRoute = Readonly<Record<string, Notes>>;
