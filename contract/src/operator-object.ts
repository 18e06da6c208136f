import Type, { type TProperties } from "typebox";

/** A named object that has no other fields. */
export function closedObject<P extends TProperties>(title: string, description: string, properties: P) {
  return Type.Object(properties, { title, additionalProperties: false, description });
}
