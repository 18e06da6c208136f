import type { ConsoleSession } from "@dbdepot/contract/console/sessions";
import { Button, Group, Stack, Text } from "@mantine/core";
import { IconDeviceDesktop } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Loaded } from "../../components/loaded.tsx";
import { showError, showSuccess } from "../../components/notices.ts";
import { StatusBadge } from "../../components/status-badge.tsx";
import { Time } from "../../components/time.tsx";
import { accountApi } from "./api.ts";
import { browserOf } from "./browser.ts";

export function Sessions() {
  const sessions = useQuery({ queryKey: ["sessions"], queryFn: accountApi.sessions });
  return (
    <Loaded query={sessions} rows={2}>
      {({ sessions }) => (
        <Stack component="ul" gap="md" m={0} p={0} style={{ listStyle: "none" }}>
          {sessions.map((session) => (
            <li key={session.id}>
              <Session session={session} />
            </li>
          ))}
        </Stack>
      )}
    </Loaded>
  );
}

function Session({ session }: { session: ConsoleSession }) {
  const queryClient = useQueryClient();
  const end = useMutation({
    mutationFn: () => accountApi.endSession(session.id),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ["sessions"] });
      showSuccess("The session has ended.");
    },
    onError: showError,
  });
  return (
    <Group justify="space-between" wrap="nowrap">
      <Group gap="sm" wrap="nowrap" style={{ minWidth: 0 }}>
        <IconDeviceDesktop size={20} stroke={1.5} style={{ flexShrink: 0 }} />
        <div style={{ minWidth: 0 }}>
          <Text fw={500} truncate title={session.user_agent}>
            {browserOf(session.user_agent)}
          </Text>
          <Text size="sm" c="dimmed">
            {session.address} · active <Time value={session.last_seen} />
          </Text>
        </div>
      </Group>
      {session.current ? (
        <StatusBadge tone="good">This browser</StatusBadge>
      ) : (
        <Button
          variant="default"
          size="xs"
          style={{ flexShrink: 0 }}
          loading={end.isPending}
          onClick={() => end.mutate()}
        >
          End session
        </Button>
      )}
    </Group>
  );
}
