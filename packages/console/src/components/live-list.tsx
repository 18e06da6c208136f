import { Button } from "@mantine/core";
import { IconArrowUp } from "@tabler/icons-react";
import { type InfiniteData, useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useState } from "react";
import type { ItemPage } from "../app/api.ts";
import { plural } from "./format.ts";
import classes from "./live-list.module.css";

const POLL_MS = 5000;

interface Item {
  id: string;
  created: string;
}

interface LiveListOptions<T> {
  queryKey: readonly unknown[];
  load: (url: string) => Promise<ItemPage<T>>;
  /** URL of the first page. */
  url: string;
  /** URL of everything since a time. Undefined if there can be no new items. */
  urlSince: ((time: string) => string) | undefined;
}

/**
 * A list, newest first, that loads further pages on demand and looks for new items every few seconds while the page is
 * visible. If the page is scrolled down, new items wait for `showNewer`, because they would move the rows in view.
 */
export function useLiveList<T extends Item>({ queryKey, load, url, urlSince }: LiveListOptions<T>) {
  const queryClient = useQueryClient();
  const query = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam }) => load(pageParam),
    initialPageParam: url,
    getNextPageParam: ({ next }) => next,
    // Polling finds new items, so the pages that are already loaded are never loaded again.
    staleTime: Number.POSITIVE_INFINITY,
    structuralSharing: false,
  });
  const items = useMemo(() => query.data?.pages.flatMap((page) => page.items), [query.data]);
  const newest = items?.[0];
  const [opened] = useState(() => new Date().toISOString());
  const since = newest?.created ?? opened;
  const poll = useQuery({
    queryKey: [...queryKey, "since", newest?.id ?? since],
    queryFn: () => load(urlSince?.(since) ?? url),
    enabled: items !== undefined && urlSince !== undefined,
    refetchInterval: POLL_MS,
    gcTime: 0,
  });
  const newer = (poll.data?.items ?? []).filter(({ id }) => newest === undefined || id > newest.id);
  const hasGap = poll.data?.next !== undefined;

  const showNewer = useCallback(() => {
    // More than one page is new: start over.
    if (hasGap) return void queryClient.resetQueries({ queryKey, exact: true });
    queryClient.setQueryData<InfiniteData<ItemPage<T>>>(queryKey, (data) => data && withNewer(data, newer));
  }, [hasGap, newer, queryClient, queryKey]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: once per poll, because the page may have been scrolled meanwhile
  useEffect(() => {
    if (newer.length > 0 && window.scrollY === 0) showNewer();
  }, [poll.dataUpdatedAt]);

  const { error, isFetching, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  const loadMore = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);
  return {
    query: { data: items, error, isFetching, refetch },
    isLoadingMore: isFetchingNextPage,
    loadMore,
    newerCount: newer.length,
    showNewer,
  };
}

function withNewer<T>({ pages, pageParams }: InfiniteData<ItemPage<T>>, newer: T[]): InfiniteData<ItemPage<T>> {
  const [first, ...others] = pages;
  if (!first) return { pages, pageParams };
  return { pages: [{ ...first, items: [...newer, ...first.items] }, ...others], pageParams };
}

/** Says how many items are new, and scrolls up to them. */
export function NewerButton({ count, noun, onShow }: { count: number; noun: string; onShow: () => void }) {
  const show = () => {
    onShow();
    window.scrollTo({ top: 0 });
  };
  return (
    <div className={classes.newer} role="status">
      {count > 0 && (
        <Button size="xs" radius="xl" leftSection={<IconArrowUp size={14} stroke={2} />} onClick={show}>
          {plural(count, `new ${noun}`)}
        </Button>
      )}
    </div>
  );
}
