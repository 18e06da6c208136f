import type { ApiKey, CreatedKey } from "@dbdepot/contract/iam/keys";

/** The dialog that is open. There is at most one. */
export type KeyAction =
  | { kind: "create" }
  | { kind: "edit" | "rotate" | "end-overlap" | "revoke"; key: ApiKey }
  | { kind: "secret"; created: CreatedKey; expires: string | null; isRotation: boolean };
