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

const NO_CONTROL_CHARACTERS = "^[^\\u0000-\\u001F\\u007F]*$";

/** A column in ascending order, or with a minus sign in descending order. */
export type Sort<Column extends string> = Column | `-${Column}`;

/** The parameters of a list that can be searched and sorted. `searched` names the fields that are searched. */
export function listParameters<const Column extends string>(columns: readonly Column[], searched: string) {
  const sorts = columns.flatMap((column): Sort<Column>[] => [column, `-${column}`]);
  return {
    search: Type.Optional(
      Type.String({
        pattern: NO_CONTROL_CHARACTERS,
        maxLength: 200,
        description: `Only items that contain all of these words, in upper or lower case. Searches ${searched}.`,
      }),
    ),
    sort: Type.Optional(
      Type.Enum(sorts, { description: "The field to sort by. A minus sign in front of it reverses the order." }),
    ),
    ...pageParameters,
  };
}

export const organizationFilter = Type.Optional(
  Type.String({ ...OrganizationName, description: "Only this organization, by id or exact name." }),
);

export function closedQuery<P extends TProperties>(properties: P) {
  return Type.Object(properties, { additionalProperties: false });
}

export const NoQuery = closedQuery({});

export const PageQuery = closedQuery(pageParameters);
export type PageQuery = Static<typeof PageQuery>;

/** The query of every list that can be searched and sorted. */
export type ListQuery<Column extends string = string> = PageQuery & { search?: string; sort?: Sort<Column> };
