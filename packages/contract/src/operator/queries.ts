import Type, { type Static, type TProperties } from "typebox";
import { OrganizationName } from "./fields.ts";

/** Query parameters of the operator API. Unknown parameters are refused because a mistyped filter would return everything. */

export const PAGE_LIMIT = { minimum: 1, default: 100, maximum: 1000 } as const;

export const pageParameters = {
  limit: Type.Optional(Type.Integer({ ...PAGE_LIMIT, description: "Page size." })),
  cursor: Type.Optional(
    Type.String({
      pattern: "^[A-Za-z0-9_-]*$",
      maxLength: 2000,
      description: "Start of the next page, taken from the `Link` header.",
    }),
  ),
};

export const organizationFilter = Type.Optional(
  Type.String({ ...OrganizationName, description: "Only this organization, by id or exact name." }),
);

export function closedQuery<P extends TProperties>(properties: P) {
  return Type.Object(properties, { additionalProperties: false });
}

export const NoQuery = closedQuery({});

export const PageQuery = closedQuery(pageParameters);
export type PageQuery = Static<typeof PageQuery>;

export const KeysQuery = closedQuery({ org: organizationFilter, ...pageParameters });
export type KeysQuery = Static<typeof KeysQuery>;
