import type { KeyAction } from "./actions.ts";
import { EndOverlapDialog } from "./end-overlap-dialog.tsx";
import { KeyFormDialog } from "./key-form.tsx";
import type { Keyring } from "./keyring.ts";
import { RevokeDialog } from "./revoke-dialog.tsx";
import { RotateDialog } from "./rotate-dialog.tsx";
import { SecretDialog } from "./secret-dialog.tsx";

interface KeyDialogsProps {
  keyring: Keyring;
  action: KeyAction;
  onAction: (action: KeyAction | undefined) => void;
}

export function KeyDialogs({ keyring, action, onAction }: KeyDialogsProps) {
  const close = () => onAction(undefined);
  switch (action.kind) {
    case "create":
    case "edit":
      return (
        <KeyFormDialog
          keyring={keyring}
          editedKey={action.kind === "edit" ? action.key : undefined}
          onClose={close}
          onCreated={(created, expires) => onAction({ kind: "secret", created, expires, isRotation: false })}
        />
      );
    case "rotate":
      return (
        <RotateDialog
          keyring={keyring}
          apiKey={action.key}
          onClose={close}
          onRotated={(created) => onAction({ kind: "secret", created, expires: action.key.expires, isRotation: true })}
        />
      );
    case "end-overlap":
      return <EndOverlapDialog keyring={keyring} apiKey={action.key} onClose={close} />;
    case "revoke":
      return <RevokeDialog keyring={keyring} apiKey={action.key} onClose={close} />;
    case "secret":
      return (
        <SecretDialog
          created={action.created}
          expires={action.expires}
          isRotation={action.isRotation}
          onClose={close}
        />
      );
  }
}
