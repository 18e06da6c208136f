import type { Role } from "@dbdepot/contract/console/accounts";
import type { SessionAccount, SessionState } from "@dbdepot/contract/console/sessions";
import { QueryClient, queryOptions, useSuspenseQuery } from "@tanstack/react-query";
import { useSyncExternalStore } from "react";
import { get, onUnauthorized, send } from "./api.ts";
import { ApiError } from "./api-error.ts";

/** If it has ended, the page keeps the account until the person signs in again. */
type Session = SessionState & { hasEnded?: boolean };

export const sessionQuery = queryOptions({
  queryKey: ["session"],
  queryFn: async (): Promise<Session> => {
    const session = await get<SessionState>("/api/console/session");
    const before = queryClient.getQueryData<Session>(["session"]);
    return before?.account && !session.account ? { ...before, hasEnded: true } : session;
  },
  staleTime: 60_000,
});

export const sessionApi = {
  signOut: () => send("DELETE", "/api/console/session"),
  viewAs: (organization: string) => send<SessionState>("POST", "/api/console/view", { organization }),
  leaveView: () => send<SessionState>("DELETE", "/api/console/view"),
};

export const queryClient: QueryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      // Retries only errors that may be temporary.
      retry: (failures, error) => failures < 2 && (!(error instanceof ApiError) || error.status === 0),
    },
  },
});

// A request that was refused because the session has ended is sent again once the person has signed in again.
onUnauthorized(async () => {
  const { hasEnded } = await queryClient.fetchQuery({ ...sessionQuery, staleTime: 0 });
  if (!hasEnded) return false;
  return new Promise((resolve) => {
    const stop = queryClient.getQueryCache().subscribe(() => {
      const session = queryClient.getQueryData(sessionQuery.queryKey);
      if (session?.hasEnded) return;
      stop();
      resolve(session?.account != null);
    });
  });
});

/** Whether someone has to sign in again to continue on this page. */
export function useHasEnded(): boolean {
  // `useQuery` would keep watching the session from before `startSession`.
  return useSyncExternalStore(
    (onChange) => queryClient.getQueryCache().subscribe(onChange),
    () => queryClient.getQueryData(sessionQuery.queryKey)?.hasEnded === true,
  );
}

/** Continues on the page of a session that has ended. If another person has signed in, the console starts over. */
export function continueSession(session: SessionState): void {
  const before = queryClient.getQueryData(sessionQuery.queryKey);
  const isSame = before?.account?.id === session.account?.id && before?.viewing_as?.id === session.viewing_as?.id;
  if (!isSame) {
    window.location.assign("/console/");
    return;
  }
  queryClient.setQueryData(sessionQuery.queryKey, session);
  // Requests that wait for the session finish first.
  void queryClient.invalidateQueries({ refetchType: "active" }, { cancelRefetch: false });
}

/** Replaces everything that was loaded for the previous account. */
export function startSession(session: SessionState): void {
  queryClient.clear();
  queryClient.setQueryData(sessionQuery.queryKey, session);
}

export function useSession(): SessionState {
  return useSuspenseQuery(sessionQuery).data;
}

export function useAccount(): SessionAccount {
  const { account } = useSession();
  if (!account) throw new Error("this page needs a session");
  return account;
}

export function isOperatorRole(role: Role): boolean {
  return role === "operator" || role === "operator_viewer";
}

/** Managers may invite and change people. An organization's managers may also change its keys. */
export function isManagerRole(role: Role): boolean {
  return role === "operator" || role === "admin";
}
