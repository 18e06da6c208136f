import { Kbd, Text, UnstyledButton } from "@mantine/core";
import { useDisclosure, useHotkeys } from "@mantine/hooks";
import { IconSearch } from "@tabler/icons-react";
import { lazy, Suspense } from "react";
import { loadChunk } from "./chunks.tsx";
import classes from "./shell.module.css";

const JumpDialog = lazy(async () => ({
  default: (await loadChunk(() => import("../pages/jump/jump-dialog.tsx"))).JumpDialog,
}));

const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);

/** Opens the search for everything that has a page, as does Ctrl+K or ⌘K. */
export function JumpButton() {
  const [isOpen, { open, close }] = useDisclosure(false);
  // It also works while someone types into a field.
  useHotkeys([["mod+K", open]], []);
  return (
    <>
      <UnstyledButton className={classes.jump ?? ""} onClick={open} aria-keyshortcuts={isMac ? "Meta+K" : "Control+K"}>
        <IconSearch size={16} stroke={1.6} />
        <Text span inherit>
          Jump to…
        </Text>
        <Kbd size="xs" visibleFrom="sm" aria-hidden>
          {isMac ? "⌘K" : "Ctrl K"}
        </Kbd>
      </UnstyledButton>
      {isOpen && (
        <Suspense fallback={null}>
          <JumpDialog onClose={close} />
        </Suspense>
      )}
    </>
  );
}
