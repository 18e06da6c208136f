import type { ConsoleAccount } from "@dbdepot/contract/console/accounts";
import type { ErasurePlan } from "@dbdepot/contract/operator/privacy";
import { Alert, List, Stack, Text } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { formatCount } from "../../components/format.ts";
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

/** The noun for a row of each table whose name does not say it. */
const NOUNS: Record<string, string> = {
  accounts: "account",
  attempts: "download attempt",
  audit: "entry of the audit log",
  notice_recipients: "choice of e-mails",
  outbox: "e-mail",
  terms_acceptances: "acceptance of terms",
  webhook_endpoints: "webhook",
  webhook_deliveries: "delivery to a webhook",
};

/** "12 download attempts anonymized" */
function inWords({ table, action, count }: ErasurePlan["rows"][number]): string {
  const noun =
    NOUNS[table] ??
    table
      .replace(/^account_/, "")
      .replaceAll("_", " ")
      .replace(/s$/, "");
  const [head = "", ...rest] = noun.split(/(?= of | to )/);
  const shown =
    count === 1 ? head : head.endsWith("y") && !head.endsWith("ey") ? `${head.slice(0, -1)}ies` : `${head}s`;
  return `${formatCount(count)} ${shown}${rest.join("")} ${action}`;
}
