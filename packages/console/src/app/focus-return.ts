const LAYER = "[role=dialog], [role=menu]";
const FOCUSABLE = "a[href], button, input, select, textarea, [tabindex]";

/**
 * Gives the focus back to what opened a dialog once the last dialog has closed. Mantine does so only for dialogs that
 * stay mounted while they are closed, and ours are mounted when they open. A dialog that was opened from a menu
 * returns the focus to the button of the menu. If that is gone, for example with a deleted row, the page gets it.
 */
export function returnFocusFromDialogs(): void {
  let opener: Element | null = null;
  const remember = ({ target }: Event) => {
    const control = target instanceof Element && !target.closest(LAYER) && target.closest(FOCUSABLE);
    if (control) opener = control;
  };
  document.addEventListener("focusin", remember);
  // Safari does not focus buttons that are clicked.
  document.addEventListener("click", remember, true);
  new MutationObserver((changes) => {
    const hasClosed = changes.some(({ removedNodes }) => [...removedNodes].some(isDialog));
    // Mantine moves the focus within a few milliseconds if another dialog follows.
    if (hasClosed) setTimeout(() => returnFocus(opener), 20);
  }).observe(document.body, { childList: true, subtree: true });
}

function isDialog(node: Node): boolean {
  return node instanceof Element && (node.matches("[role=dialog]") || node.querySelector("[role=dialog]") !== null);
}

function returnFocus(opener: Element | null): void {
  const isElsewhere = document.activeElement !== null && document.activeElement !== document.body;
  if (isElsewhere || document.querySelector("[role=dialog]")) return;
  const target = opener?.isConnected ? opener : document.getElementById("content");
  if (target instanceof HTMLElement) target.focus({ preventScroll: true });
}
