import type { ListQuery } from "@dbdepot/contract/operator/queries";
import { Group, Switch, Text } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { hashKey, useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { type ReactNode, useCallback, useMemo, useState } from "react";
import type { Filter, ListSource } from "../app/api.ts";
import { formatCount } from "./format.ts";
import { type ListState, parseListState } from "./list-state.ts";
import { SearchInput } from "./search-input.tsx";

const PAGE_SIZE = 200;
const TYPING_MS = 250;

interface ListOptions<T, Query> {
  /** The beginning of the key of its queries. */
  queryKey: readonly unknown[];
  source: ListSource<T, Query>;
  /** Limits the list, in addition to the search. */
  filter?: Filter<NoInfer<Query>>;
  /** Hides rows that are no longer in use, until someone wants to see all. */
  hiding?: Filter<NoInfer<Query>>;
  defaultSort: string;
}

/**
 * A list that the server searches, sorts and pages. Its state is part of the URL of the page, which must accept
 * `parseListState`.
 */
export function useList<T, Query>(options: ListOptions<T, Query>) {
  const { queryKey, source, filter, hiding, defaultSort } = options;
  const state = parseListState(useSearch({ strict: false }));
  const navigate = useNavigate();
  const change = useCallback(
    // The route removes what is undefined.
    (changes: Filter<ListState>) =>
      void navigate({ to: ".", search: (before) => ({ ...before, ...changes }) as ListState, replace: true }),
    [navigate],
  );
  const { q: search, sort = defaultSort, all = false } = state;
  const page: Filter<ListQuery> = { search, sort, limit: PAGE_SIZE };
  const url = source.url({ ...filter, ...(!all && hiding), ...(page as Filter<Query>) });
  const query = useInfiniteQuery({
    queryKey: [...queryKey, url],
    queryFn: ({ pageParam }) => source.load(pageParam),
    initialPageParam: url,
    getNextPageParam: ({ next }) => next,
    // The rows stay while others are searched for, but those of another organization do not.
    placeholderData: (before, beforeQuery) =>
      beforeQuery && isSame(beforeQuery.queryKey.slice(0, -1), queryKey) ? before : undefined,
    // Many pages would be loaded again, one after the other.
    refetchOnWindowFocus: false,
  });
  const rows = useMemo(() => query.data?.pages.flatMap(({ items }) => items), [query.data]);
  const { error, isFetching, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  const onEnd = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);
  return {
    state,
    change,
    isSearch: search !== undefined,
    /** How many rows match. Undefined while the first page loads. */
    total: query.data?.pages[0]?.total,
    /** The properties of a `DataTable`. */
    table: {
      query: { data: rows, error, isFetching, refetch },
      onEnd,
      isLoadingMore: isFetchingNextPage,
      sort: { current: sort, onChange: (next: string) => change({ sort: next === defaultSort ? undefined : next }) },
    },
  };
}

function isSame(one: readonly unknown[], other: readonly unknown[]): boolean {
  return hashKey(one) === hashKey(other);
}

interface ListControlsProps {
  list: Pick<ReturnType<typeof useList>, "state" | "change" | "total">;
  /** The singular of what the list contains, such as "key". */
  noun: string;
  placeholder: string;
  /** The label of the switch that shows rows which are no longer in use. If it is undefined, the switch is hidden. */
  allLabel?: string;
  children?: ReactNode;
}

/** The search box above a list, and the switch for rows that are hidden by default. */
export function ListControls({
  list: { state, change, total },
  noun,
  placeholder,
  allLabel,
  children,
}: ListControlsProps) {
  const [text, setText] = useState(state.q ?? "");
  const [applied, setApplied] = useState(state.q);
  // Follows the URL, for example when someone goes back.
  if (applied !== state.q) {
    setApplied(state.q);
    if (state.q !== (text.trim() || undefined)) setText(state.q ?? "");
  }
  const apply = useDebouncedCallback((typed: string) => change({ q: typed.trim() || undefined }), TYPING_MS);
  return (
    <Group gap="md">
      <SearchInput
        label={`Search ${nouns(noun)}`}
        placeholder={placeholder}
        value={text}
        onChange={(typed) => {
          setText(typed);
          apply(typed);
        }}
      />
      {allLabel && (
        <Switch
          label={allLabel}
          checked={state.all ?? false}
          onChange={({ currentTarget }) => change({ all: currentTarget.checked || undefined })}
        />
      )}
      {children}
      {total !== undefined && <Total count={total} noun={noun} />}
    </Group>
  );
}

/** How many rows a list has, beside its search box. */
export function Total({ count, noun }: { count: number; noun: string }) {
  return (
    <Text c="dimmed" role="status" className="tabular" style={{ whiteSpace: "nowrap" }}>
      {formatCount(count)} {count === 1 ? noun : nouns(noun)}
    </Text>
  );
}

function nouns(noun: string): string {
  return noun.endsWith("y") && !noun.endsWith("ey") ? `${noun.slice(0, -1)}ies` : `${noun}s`;
}
