import { Alert, Button, Group, Skeleton, Stack, Text } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";

export type LoadedQuery<T> = Pick<UseQueryResult<T>, "data" | "error" | "isFetching"> & {
  refetch: () => Promise<unknown>;
};

interface LoadedProps<T> {
  query: LoadedQuery<T>;
  /** Number of placeholder rows while it loads. */
  rows?: number;
  isEmpty?: (data: T) => boolean;
  empty?: ReactNode;
  children: (data: T) => ReactNode;
}

/** Shows what a query returned, and placeholders, an error or an empty state otherwise. */
export function Loaded<T>({ query, rows = 5, isEmpty, empty, children }: LoadedProps<T>) {
  const { data, error, isFetching, refetch } = query;
  if (data !== undefined) return isEmpty?.(data) ? empty : children(data);
  if (error) return <Failed error={error} isRetrying={isFetching} onRetry={() => void refetch()} />;
  return (
    <Stack gap="sm" aria-busy="true" aria-label="Loading">
      {Array.from({ length: rows }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: placeholders have no identity
        <Skeleton key={index} height={44} />
      ))}
    </Stack>
  );
}

function Failed({ error, isRetrying, onRetry }: { error: Error; isRetrying: boolean; onRetry: () => void }) {
  return (
    <Alert color="red" variant="light" icon={<IconAlertTriangle />} title="This could not be loaded" role="alert">
      <Group justify="space-between">
        <Text>{error.message}</Text>
        <Button variant="default" size="xs" loading={isRetrying} onClick={onRetry}>
          Try again
        </Button>
      </Group>
    </Alert>
  );
}
