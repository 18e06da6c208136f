import { useInfiniteQuery } from "@tanstack/react-query";
import type { ItemPage } from "../app/api.ts";

interface LogOptions<T> {
  queryKey: readonly unknown[];
  /** Loads the first page, or the one at `url`. */
  load: (url: string | undefined) => Promise<ItemPage<T>>;
  refetchInterval?: number;
}

/** A log, newest first, whose older pages are loaded on demand: the properties of its table. */
export function useLog<T>({ queryKey, load, refetchInterval }: LogOptions<T>) {
  const query = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam }) => load(pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    ...(refetchInterval && { refetchInterval }),
  });
  return {
    query: { ...query, data: query.data?.pages.flatMap(({ items }) => items) },
    placeholders: 3,
    more: query.hasNextPage && {
      label: "Show older ones",
      isLoading: query.isFetchingNextPage,
      onClick: () => void query.fetchNextPage(),
    },
  };
}
