import Type, { type TSchema } from "typebox";

/**
 * Fields that several resources and requests of the operator API have. The domain code validates text fields further, with
 * readable messages.
 */

const NO_CONTROL_CHARACTERS = "^[^\\u0000-\\u001F\\u007F]*$";

export const Time = Type.String({ format: "date-time" });

export const OrganizationId = Type.String({ description: "Organization id." });

export const OrganizationIdOrNull = Type.Union([Type.String(), Type.Null()], {
  description: "Organization id, or null without an organization.",
});

export const Base = Type.String({ description: "Family name.", examples: ["vpn_ip"] });

export const Created = Type.String({ format: "date-time", description: "Creation time." });

export const LastUsed = timeOrNull("When the key was last used, to within a minute, or null if it was never used.");

export const Archived = timeOrNull(
  "When it was archived, or null. Customers can neither see nor download what is archived.",
);

export const Revoked = timeOrNull("When the key was revoked, or null if it was not.");

export function timeOrNull(description: string) {
  return Type.Union([Time, Type.Null()], { description });
}

export function textOrNull(description: string) {
  return Type.Union([Type.String(), Type.Null()], { description });
}

export const OrganizationName = Type.String({
  pattern: NO_CONTROL_CHARACTERS,
  maxLength: 1000,
  description: "Organization id or exact name.",
  examples: ["Acme"],
});

export const KeyName = Type.String({
  pattern: NO_CONTROL_CHARACTERS,
  maxLength: 100,
  description: "Key id or prefix (v1 keys by id).",
  examples: ["dbd_4fT9xQ2a"],
});

export const FamilyName = Type.String({
  pattern: NO_CONTROL_CHARACTERS,
  maxLength: 100,
  description: "Family name.",
  examples: ["vpn_ip"],
});

export const TermsName = Type.String({
  pattern: NO_CONTROL_CHARACTERS,
  maxLength: 100,
  description: "A version of terms like data-licence@2, or a name like data-licence for its newest version.",
  examples: ["data-licence@2"],
});

export const Moment = Type.String({
  maxLength: 50,
  description: "An RFC 3339 date-time, or a date (midnight UTC).",
  examples: ["2027-01-31T12:00:00Z"],
});

export const End = Type.Union([Moment, Type.Null()], {
  description: "End time, for example 2027-01-31T12:00:00Z, or null for no end.",
});

export const Line = Type.String({ maxLength: 1000, description: "A single line of text." });

export const KeyTitle = Type.String({
  maxLength: 1000,
  description: "Display name, 1 to 100 characters.",
});

export const UpdatedFields = "Fields to change. Omitted fields keep their values.";

export const RequestId = {
  minLength: 1,
  maxLength: 100,
  pattern: "^[^\\u0000]*$",
  examples: ["019a8b02-5c11-7e0a-9d43-1f2e3d4c5b6a"],
};

export function listOf<S extends TSchema>(items: S, description: string) {
  return Type.Array(items, { description });
}
