import Type from "typebox";

/** What a key of an organization can be allowed to do. */
export const CUSTOMER_SCOPES = ["db.download", "apikeys.manage"] as const;

/** What a key of no organization, the operator's own, can be allowed to do. */
export const OPERATOR_SCOPES = ["builds.publish", "operator.read", "operator.write"] as const;

export const SCOPES = [...CUSTOMER_SCOPES, ...OPERATOR_SCOPES] as const;
export type Scope = (typeof SCOPES)[number];

export const CustomerScope = Type.Enum([...CUSTOMER_SCOPES]);

export function isScope(value: unknown): value is Scope {
  return SCOPES.includes(value as Scope);
}

export function isOperatorScope(scope: Scope): boolean {
  return (OPERATOR_SCOPES as readonly Scope[]).includes(scope);
}
