import type { Download } from "@dbdepot/contract/downloads";
import { ActionIcon, Tooltip } from "@mantine/core";
import { IconHistory, IconRefresh } from "@tabler/icons-react";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../../app/api.ts";
import { DailyChart } from "../../components/daily-chart.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { Page } from "../../components/page.tsx";
import { AttemptDrawer } from "./attempt-drawer.tsx";
import { AttemptTable } from "./attempt-table.tsx";

export function History() {
  const [opened, setOpened] = useState<Download>();
  const downloads = useInfiniteQuery({
    queryKey: ["downloads"],
    queryFn: ({ pageParam }) => api.downloads(pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
  });
  const usage = useQuery({ queryKey: ["usage"], queryFn: () => api.usage({}) });
  return (
    <Page
      title="History"
      description="Every download attempt of your organization's keys, refused ones included."
      actions={
        <Tooltip label="Refresh">
          <ActionIcon
            variant="default"
            size="lg"
            aria-label="Refresh"
            loading={downloads.isRefetching}
            onClick={() => void downloads.refetch()}
          >
            <IconRefresh size={18} stroke={1.6} />
          </ActionIcon>
        </Tooltip>
      }
    >
      <Loaded
        query={downloads}
        rows={10}
        isEmpty={({ pages }) => pages[0]?.body.downloads.length === 0}
        empty={
          <EmptyState
            icon={IconHistory}
            title="No attempts yet"
            text="As soon as one of your keys requests a download, it appears here with its result."
          />
        }
      >
        {({ pages }) => (
          <>
            {usage.data && <DailyChart days={usage.data.days} />}
            <AttemptTable
              attempts={pages.flatMap(({ body }) => body.downloads)}
              isLoadingMore={downloads.isFetchingNextPage}
              onEnd={() => {
                if (downloads.hasNextPage && !downloads.isFetchingNextPage) void downloads.fetchNextPage();
              }}
              onOpen={setOpened}
            />
          </>
        )}
      </Loaded>
      <AttemptDrawer attempt={opened} onClose={() => setOpened(undefined)} />
    </Page>
  );
}
