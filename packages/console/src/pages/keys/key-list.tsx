import type { ApiKey } from "@dbdepot/contract/iam/keys";
import { Anchor, Stack, Text } from "@mantine/core";
import { IconKey, IconSearch } from "@tabler/icons-react";
import { useOpens } from "../../app/opens.ts";
import { describeActor } from "../../components/actor.ts";
import { DataTable } from "../../components/data-table.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { plural } from "../../components/format.ts";
import { ListControls, useList } from "../../components/list.tsx";
import type { Column } from "../../components/table-layout.ts";
import { TwoLines } from "../../components/table-row.tsx";
import { LastTime, Time } from "../../components/time.tsx";
import type { KeyAction } from "./actions.ts";
import { KeyDialogs } from "./key-dialogs.tsx";
import { KeyMenu } from "./key-menu.tsx";
import type { Keyring, RingKey } from "./keyring.ts";
import { KeyState } from "./state.tsx";

interface KeyListProps {
  keyring: Keyring;
  action: KeyAction | undefined;
  /** Undefined if the person may not change keys. */
  onAction: ((action: KeyAction | undefined) => void) | undefined;
  emptyText: string;
}

/** Lists the keys of an organization, with the actions for each. */
export function KeyList({ keyring, action, onAction, emptyText }: KeyListProps) {
  const list = useList({
    queryKey: [...keyring.queryKey, "list"],
    source: keyring.source,
    hiding: { state: "active" },
    defaultSort: "-created",
  });
  const [found, ...others] = list.table.query.data ?? [];
  const isFound = list.isSearch && found !== undefined && others.length === 0 && !found.revoked;
  useOpens("rotate", () => found && onAction?.({ kind: "rotate", key: found }), isFound);
  return (
    <>
      <ListControls
        list={list}
        noun="key"
        placeholder="Search by name or prefix"
        allLabel="Show revoked and expired keys"
      />
      <DataTable
        label="API keys"
        {...list.table}
        columns={columnsFor(onAction)}
        actions={(key) => !key.revoked && onAction && <KeyMenu apiKey={key} onAction={onAction} />}
        empty={
          list.isSearch ? (
            <EmptyState icon={IconSearch} title="No key matches" text="Try another word, or show all keys." />
          ) : (
            <EmptyState icon={IconKey} title={list.state.all ? "No keys yet" : "No active keys"} text={emptyText} />
          )
        }
      />
      {action && onAction && <KeyDialogs keyring={keyring} action={action} onAction={onAction} />}
    </>
  );
}

const columnsFor = (onAction: KeyListProps["onAction"]): Column<RingKey>[] => [
  {
    heading: "Name",
    sort: "name",
    min: 180,
    cell: ({ name, key_prefix }) => (
      <TwoLines truncate detail={<code>{key_prefix}_…</code>}>
        {name}
      </TwoLines>
    ),
  },
  {
    heading: "Status",
    min: 150,
    cell: (key) => (
      <>
        <KeyState apiKey={key} />
        {key.old_secret_until && <OldSecret apiKey={key} until={key.old_secret_until} onAction={onAction} />}
      </>
    ),
  },
  {
    heading: "May",
    min: 140,
    cell: ({ allowed_scopes: scopes }) => (
      <Stack gap={2}>
        {scopes.length === 0 && <Text c="dimmed">Nothing</Text>}
        {scopes.map((scope) => (
          <Text key={scope}>{SCOPE_NAMES[scope] ?? scope}</Text>
        ))}
      </Stack>
    ),
  },
  { heading: "Restrictions", sort: "expires", min: 150, priority: 3, cell: (key) => <Restrictions apiKey={key} /> },
  { heading: "Last used", sort: "-last_used", w: 135, cell: ({ last_used }) => <LastTime value={last_used} /> },
  {
    heading: "Created",
    min: 150,
    priority: 3,
    sort: "-created",
    cell: ({ created, created_by: by }) => (
      <>
        <Time value={created} show="date" />
        {by && (
          <Text size="sm" c="dimmed" truncate maw={200} title={describeActor(by)}>
            by {describeActor(by)}
          </Text>
        )}
      </>
    ),
  },
];

interface OldSecretProps {
  apiKey: RingKey;
  until: string;
  onAction: KeyListProps["onAction"];
}

/** Says that the old secret of a rotated key still works. */
function OldSecret({ apiKey: key, until, onAction }: OldSecretProps) {
  return (
    <Text component="div" size="sm" c="dimmed" mt={4}>
      The old secret works until <Time value={until} show="full" />.{" "}
      {onAction && (
        <Anchor
          component="button"
          type="button"
          inherit
          underline="always"
          onClick={() => onAction({ kind: "end-overlap", key })}
          aria-label={`End it now: the old secret of ${key.name}`}
        >
          End it now
        </Anchor>
      )}
    </Text>
  );
}

const SCOPE_NAMES: Record<string, string> = {
  "db.download": "Download",
  "apikeys.manage": "Manage keys",
  "account.read": "Read account",
  "apikeys.read": "List keys",
  "org.read": "Read organization",
};

function Restrictions({ apiKey: { allowed_cidrs: cidrs, expires } }: { apiKey: ApiKey }) {
  if (cidrs.length === 0 && !expires) return <Text c="dimmed">None</Text>;
  return (
    <Stack gap={2}>
      {cidrs.length > 0 && (
        <Text title={cidrs.join(", ")}>{cidrs.length === 1 ? cidrs[0] : plural(cidrs.length, "network")}</Text>
      )}
      {expires && (
        <Text>
          {Date.parse(expires) > Date.now() ? "Expires" : "Expired"} <Time value={expires} show="date" />
        </Text>
      )}
    </Stack>
  );
}
