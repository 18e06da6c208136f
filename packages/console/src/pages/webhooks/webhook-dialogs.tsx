import { DeleteDialog } from "../../components/delete-dialog.tsx";
import type { WebhookAction } from "./actions.ts";
import { RotateDialog } from "./rotate-dialog.tsx";
import { SecretDialog } from "./secret-dialog.tsx";
import { WebhookFormDialog } from "./webhook-form.tsx";
import { WEBHOOKS_KEY, type WebhookSource } from "./webhook-source.ts";

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
      return (
        <DeleteDialog
          noun="webhook"
          queryKey={[WEBHOOKS_KEY]}
          remove={() => source.remove(action.webhook.id)}
          onClose={close}
        >
          <code style={{ overflowWrap: "anywhere" }}>{action.webhook.url}</code> gets no more events, and the log of its
          deliveries is deleted. This can't be undone. To pause it, disable it instead.
        </DeleteDialog>
      );
    case "secret":
      return <SecretDialog issued={action.issued} isRotation={action.isRotation} onClose={close} />;
  }
}
