import { Button, Stack, Text } from "@mantine/core";
import { type NotificationData, notifications } from "@mantine/notifications";
import { lazyRouteComponent as lazyComponent } from "@tanstack/react-router";
import { useState } from "react";
import { UNREACHABLE } from "./api-error.ts";

/** The id of the notification about code that could not be loaded. */
export const CHUNK_NOTICE = "chunk";

/** Whether this tab failed to load code. Only loading the document again repairs that. */
let isBroken = false;

/**
 * Browsers remember a module that could not be loaded, and Vite a stylesheet: the next import() fails immediately, or
 * shows a page without its styles. So nothing is imported again in this tab: the person sees why and reloads.
 */
window.addEventListener("vite:preloadError", () => {
  isBroken = true;
  void check().then((server) => (server === "upgraded" ? showNewVersion() : showOutage()));
});

/**
 * Loads code on demand. If that fails, the promise stays pending, which keeps the current page on the screen below the
 * notice.
 */
export async function loadChunk<T>(load: () => Promise<T>): Promise<T> {
  const chunk = await load().catch((error) => {
    if (!isBroken) throw error;
  });
  return isBroken || chunk === undefined ? new Promise(() => {}) : chunk;
}

/** The router's function of this name, with pages that are loaded by `loadChunk`. */
export const lazyRouteComponent = ((load: () => Promise<Record<string, unknown>>, name: string) =>
  lazyComponent(() => loadChunk(load), name)) as typeof lazyComponent;

/** Repairs a tab that failed to load code by loading the page at its current URL, if the server responds. */
export async function repair(): Promise<void> {
  if (isBroken && (await check()) !== "unreachable") window.location.reload();
}

type Server = "unchanged" | "upgraded" | "unreachable";

/** Compares the assets that the server has with those of this tab. */
async function check(): Promise<Server> {
  const response = await fetch("/console/", { cache: "no-store", signal: AbortSignal.timeout(10_000) }).catch(() => {});
  if (!response?.ok) return "unreachable";
  const entry = entryOf(new DOMParser().parseFromString(await response.text(), "text/html"));
  if (!entry) return "unreachable";
  return entry === entryOf(document) ? "unchanged" : "upgraded";
}

/** The script that starts the console. Its name contains a hash of everything that it loads. */
function entryOf(page: Document): string | null | undefined {
  return page.querySelector('script[type="module"]')?.getAttribute("src");
}

function showOutage(): void {
  show({
    color: "red",
    title: UNREACHABLE,
    message: <RepairMessage text="Check your connection. Until you retry, this page stays as it is." action="Retry" />,
  });
}

function showNewVersion(): void {
  show({
    title: "A new version is available",
    message: <RepairMessage text="Finish what you are doing here, then reload." action="Reload" />,
  });
}

function show(content: Pick<NotificationData, "title" | "message" | "color">): void {
  const notice = { ...content, id: CHUNK_NOTICE, withBorder: true, autoClose: false, allowClose: false };
  // Does nothing if the notice is already there, which then gets the latest text.
  notifications.show(notice);
  notifications.update(notice);
}

function RepairMessage({ text, action }: { text: string; action: string }) {
  const [isPending, setPending] = useState(false);
  const retry = async () => {
    setPending(true);
    await repair();
    setPending(false);
  };
  return (
    <Stack gap="xs" align="flex-start">
      <Text inherit>{text}</Text>
      <Button size="xs" loading={isPending} onClick={() => void retry()}>
        {action}
      </Button>
    </Stack>
  );
}
