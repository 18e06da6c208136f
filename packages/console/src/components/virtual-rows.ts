import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { type RefObject, useEffect, useLayoutEffect, useState } from "react";

/** More rows are loaded when fewer than this are left below. */
const ROWS_AHEAD = 50;

interface VirtualRowsOptions {
  /** The element that contains the rows. */
  container: RefObject<HTMLElement | null>;
  keys: readonly { id: string }[];
  /** The height of a row, until it has been measured. */
  estimatedHeight: number;
  /** Called when the end of the list is near, to load more. */
  onEnd: (() => void) | undefined;
}

/** The rows in view of a list that scrolls with the page, so that 100,000 scroll as smoothly as ten. */
export function useVirtualRows({ container, keys, estimatedHeight, onEnd }: VirtualRowsOptions) {
  const [top, setTop] = useState(0);
  // The list moves when the content above it finishes loading.
  useLayoutEffect(() => {
    const measure = () =>
      setTop(container.current ? container.current.getBoundingClientRect().top + window.scrollY : 0);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(document.body);
    return () => observer.disconnect();
  }, [container]);
  const virtualizer = useWindowVirtualizer({
    count: keys.length,
    estimateSize: () => estimatedHeight,
    getItemKey: (index) => keys[index]?.id ?? index,
    overscan: 10,
    scrollMargin: top,
  });
  const visible = virtualizer.getVirtualItems();
  const isNearEnd = (visible.at(-1)?.index ?? 0) >= keys.length - ROWS_AHEAD;
  useEffect(() => {
    if (isNearEnd) onEnd?.();
  }, [isNearEnd, onEnd]);
  const height = virtualizer.getTotalSize();
  return {
    visible: visible.map(({ index, key, start }) => ({ index, key, start: start - top })),
    height,
    /** The height of the rows above and below those in view. */
    above: (visible[0]?.start ?? top) - top,
    below: height - ((visible.at(-1)?.end ?? top) - top),
    measure: virtualizer.measureElement,
  };
}
