import Type from "typebox";

/** Scopes for keys that belong to an organization. */
export const CUSTOMER_SCOPES = ["db.download", "apikeys.manage", "account.read", "apikeys.read", "org.read"] as const;

/** Scopes for operator keys, which belong to no organization. */
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

/** Whether these scopes allow what needs `required`. A key that may manage keys may also list them. */
export function allows(scopes: readonly Scope[], required: Scope): boolean {
  return scopes.includes(required) || (required === "apikeys.read" && scopes.includes("apikeys.manage"));
}
