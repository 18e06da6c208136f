import type { WebhookAction } from "./actions.ts";
import { DeleteDialog } from "./delete-dialog.tsx";
import { RotateDialog } from "./rotate-dialog.tsx";
import { SecretDialog } from "./secret-dialog.tsx";
import { WebhookFormDialog } from "./webhook-form.tsx";
import type { WebhookSource } from "./webhook-source.ts";

interface WebhookDialogsProps {
  source: WebhookSource;
  action: WebhookAction;
  onAction: (action: WebhookAction | undefined) => void;
}

export function WebhookDialogs({ source, action, onAction }: WebhookDialogsProps) {
  const close = () => onAction(undefined);
  switch (action.kind) {
    case "create":
    case "edit":
      return (
        <WebhookFormDialog
          source={source}
          edited={action.kind === "edit" ? action.webhook : undefined}
          onClose={close}
          onCreated={(issued) => onAction({ kind: "secret", issued, isRotation: false })}
        />
      );
    case "rotate":
      return (
        <RotateDialog
          source={source}
          webhook={action.webhook}
          onClose={close}
          onRotated={(issued) => onAction({ kind: "secret", issued, isRotation: true })}
        />
      );
    case "delete":
      return <DeleteDialog source={source} webhook={action.webhook} onClose={close} />;
    case "secret":
      return <SecretDialog issued={action.issued} isRotation={action.isRotation} onClose={close} />;
  }
}
