import { notifications } from "@mantine/notifications";

const CLOSE = { closeButtonProps: { "aria-label": "Close" } };

export function showError(error: Error): void {
  notifications.show({ color: "red", title: "That didn't work", message: error.message, autoClose: 10_000, ...CLOSE });
}

export function showSuccess(message: string): void {
  notifications.show({ message, autoClose: 4000, ...CLOSE });
}
