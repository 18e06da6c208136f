import { Badge } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { REQUESTS_KEY, requestsApi } from "../pages/requests/api.ts";

const POLL_MS = 60_000;
const MAX_SHOWN = 99;

/** How many access requests wait for an answer, for the sidebar. */
export function PendingRequests() {
  const { data } = useQuery({
    queryKey: [REQUESTS_KEY, "pending"],
    queryFn: () => requestsApi.list.load(requestsApi.list.url({ state: "pending", limit: MAX_SHOWN + 1 })),
    refetchInterval: POLL_MS,
  });
  const count = data?.items.length ?? 0;
  if (count === 0) return null;
  return (
    <Badge variant="light" radius="xl" size="sm" aria-label={`${count} waiting`}>
      {count > MAX_SHOWN ? `${MAX_SHOWN}+` : count}
    </Badge>
  );
}
