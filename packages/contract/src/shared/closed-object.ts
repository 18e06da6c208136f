import Type, { type TProperties } from "typebox";

/** An object schema with a title that allows no other fields. */
export function closedObject<P extends TProperties>(title: string, description: string, properties: P) {
  return Type.Object(properties, { title, additionalProperties: false, description });
}
