import { useLocation, useNavigate } from "@tanstack/react-router";
import { useEffect } from "react";

declare module "@tanstack/react-router" {
  interface HistoryState {
    /** The dialog that the page should open. */
    opens?: string;
  }
}

/** Opens a dialog of the page, once, if a navigation asked for it, such as an action in Ctrl+K. */
export function useOpens(dialog: string, open: () => void, isReady = true): void {
  const navigate = useNavigate();
  const isWanted = useLocation({ select: ({ state }) => state.opens === dialog }) && isReady;
  // biome-ignore lint/correctness/useExhaustiveDependencies: opens it once
  useEffect(() => {
    if (!isWanted) return;
    open();
    // It does not open again when someone reloads or comes back.
    void navigate({ to: ".", search: true, state: {}, replace: true });
  }, [isWanted]);
}
