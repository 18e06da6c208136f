import type { ApiKey, CreatedKey } from "@dbdepot/contract/iam/keys";

/** What the dialogs work on. At most one of them is open. */
export type KeyAction =
  | { kind: "create" }
  | { kind: "edit" | "rotate" | "revoke"; key: ApiKey }
  | { kind: "secret"; created: CreatedKey; isRotation: boolean };
