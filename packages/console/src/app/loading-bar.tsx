import { useNotifications } from "@mantine/notifications";
import { useRouterState } from "@tanstack/react-router";
import { CHUNK_NOTICE } from "./chunks.tsx";
import classes from "./loading-bar.module.css";
import { router } from "./router.tsx";

/** Shows that the next page is loading, while the current one stays. */
export function LoadingBar() {
  const isLoading = useRouterState({ router, select: ({ isLoading }) => isLoading });
  const { notifications } = useNotifications();
  const hasFailed = notifications.some(({ id }) => id === CHUNK_NOTICE);
  return isLoading && !hasFailed && <div className={classes.bar} role="progressbar" aria-label="Loading the page" />;
}
