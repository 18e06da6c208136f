import { Outlet } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import { loadChunk } from "./chunks.tsx";
import { useHasEnded } from "./session.ts";

const SignInAgain = lazy(async () => {
  const { SignInAgain: component } = await loadChunk(() => import("../pages/sign-in/sign-in-again.tsx"));
  return { default: component };
});

/** The page, below the dialog that asks to sign in again if its session has ended. */
export function Root() {
  const hasEnded = useHasEnded();
  return (
    <>
      <Outlet />
      {hasEnded && (
        <Suspense>
          <SignInAgain />
        </Suspense>
      )}
    </>
  );
}
