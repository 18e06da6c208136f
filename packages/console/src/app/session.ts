import type { Role } from "@dbdepot/contract/console/accounts";
import type { SessionAccount, SessionState } from "@dbdepot/contract/console/sessions";
import { QueryCache, QueryClient, queryOptions, useSuspenseQuery } from "@tanstack/react-query";
import { get, send } from "./api.ts";
import { ApiError } from "./api-error.ts";

export const sessionQuery = queryOptions({
  queryKey: ["session"],
  queryFn: () => get<SessionState>("/api/console/session"),
  staleTime: 60_000,
});

export const sessionApi = {
  signOut: () => send("DELETE", "/api/console/session"),
  viewAs: (organization: string) => send<SessionState>("POST", "/api/console/view", { organization }),
  leaveView: () => send<SessionState>("DELETE", "/api/console/view"),
};

/** After a 401 the session is loaded again. If it has ended, the shell redirects to the sign-in page. */
export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({
    onError(error, query) {
      const isSession = query.queryKey[0] === sessionQuery.queryKey[0];
      if (error instanceof ApiError && error.status === 401 && !isSession) {
        void queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey });
      }
    },
  }),
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      // Retries only errors that may be temporary.
      retry: (failures, error) => failures < 2 && (!(error instanceof ApiError) || error.status === 0),
    },
  },
});

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
