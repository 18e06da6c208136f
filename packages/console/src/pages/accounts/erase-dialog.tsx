import type { ConsoleAccount } from "@dbdepot/contract/console/accounts";
import type { ErasurePlan } from "@dbdepot/contract/operator/privacy";
import { Alert, List, Stack, Text } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { showError, showSuccess } from "../../components/notices.ts";
import { ACCOUNTS_KEY, accountsApi } from "./api.ts";

/** Shows what erasing a person would do, then does it. */
export function EraseDialog({ account, onClose }: { account: ConsoleAccount; onClose: () => void }) {
  const queryClient = useQueryClient();
  const { id, email } = account;
  const plan = useQuery({ queryKey: ["erasure", id], queryFn: () => accountsApi.erasure(id), gcTime: 0 });
  const erase = useMutation({
    // The dialog shows the warning, so that confirming it includes the last operator or admin.
    mutationFn: () => accountsApi.erase(id, { even_last: plan.data?.last != null }),
    onSuccess: async ({ pseudonym }) => {
      await queryClient.invalidateQueries({ queryKey: ACCOUNTS_KEY });
      showSuccess(`Erased. In the audit log, the person is now ${pseudonym}.`);
      onClose();
    },
    onError: showError,
  });
  return (
    <ConfirmDialog
      isOpen
      title={`Erase ${email}?`}
      confirmLabel="Erase person"
      isPending={erase.isPending || plan.isPending}
      onConfirm={() => erase.mutate()}
      onClose={onClose}
    >
      <Stack gap="md">
        <Text>
          The account is deleted, and a pseudonym replaces the person everywhere else. This cannot be undone. API keys
          that they created keep working. Backups keep the data until they are deleted.
        </Text>
        <Loaded query={plan} rows={2}>
          {({ rows, warning }) => (
            <>
              {warning && (
                <Alert color="red" icon={<IconAlertTriangle size={18} stroke={1.6} />}>
                  {warning}.
                </Alert>
              )}
              <List size="sm" aria-label="What is erased">
                {rows.map((row) => (
                  <List.Item key={row.table}>{inWords(row)}</List.Item>
                ))}
              </List>
            </>
          )}
        </Loaded>
      </Stack>
    </ConfirmDialog>
  );
}

function inWords({ table, action, count }: ErasurePlan["rows"][number]): string {
  return `${table.replaceAll("_", " ").replace(/^account /, "")}: ${count} ${action}`;
}
