import type { EffectiveSetting, EffectiveSettings } from "@dbdepot/contract/console/settings";
import { Group, Paper, Switch, Text, TextInput } from "@mantine/core";
import { IconSearch, IconSettings } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { get } from "../../app/api.ts";
import { EmptyState } from "../../components/empty-state.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { Page } from "../../components/page.tsx";
import { StatusBadge } from "../../components/status-badge.tsx";
import { Jobs } from "./jobs.tsx";
import { Retention } from "./retention.tsx";
import classes from "./settings.module.css";

export function Settings() {
  const settings = useQuery({
    queryKey: ["settings"],
    queryFn: () => get<EffectiveSettings>("/api/console/settings"),
  });
  const [search, setSearch] = useState("");
  const [showsDefaults, setShowsDefaults] = useState(true);
  return (
    <Page
      title="Settings"
      description="The configuration of the server that responds. To change it, set environment variables and restart the server. Secrets are never shown."
    >
      <Group gap="md">
        <TextInput
          aria-label="Search settings"
          placeholder="Search by name, value or meaning"
          leftSection={<IconSearch size={16} stroke={1.6} />}
          value={search}
          onChange={({ currentTarget }) => setSearch(currentTarget.value)}
          style={{ flex: "1 1 240px" }}
        />
        <Switch
          label="Show defaults"
          checked={showsDefaults}
          onChange={({ currentTarget }) => setShowsDefaults(currentTarget.checked)}
        />
      </Group>
      <Loaded query={settings} rows={10}>
        {({ version, commit, settings }) => {
          const found = settings.filter((each) => (showsDefaults || each.is_set) && matches(each, search));
          if (found.length === 0) {
            return <EmptyState icon={IconSettings} title="No setting matches" text="Try another word." />;
          }
          return (
            <>
              <Text size="sm" c="dimmed">
                dbdepot {version}
                {commit && (
                  <>
                    {", commit "}
                    <code>{commit}</code>
                  </>
                )}
              </Text>
              <Paper component="ul" className={classes.list ?? ""} aria-label="Settings">
                {found.map((setting) => (
                  <Setting key={setting.name} setting={setting} />
                ))}
              </Paper>
            </>
          );
        }}
      </Loaded>
      <Jobs />
      <Retention />
    </Page>
  );
}

function Setting({ setting }: { setting: EffectiveSetting }) {
  const { name, is_set, meaning } = setting;
  return (
    <li className={classes.setting}>
      <div className={classes.what}>
        <Text fw={500} component="div">
          <code>{name}</code>
        </Text>
        <Text size="sm" c="dimmed">
          {withoutMarkdown(meaning)}
        </Text>
      </div>
      <div className={classes.value}>
        <Value setting={setting} />
      </div>
      <div className={classes.source}>
        {is_set ? (
          <StatusBadge tone="good">Environment</StatusBadge>
        ) : (
          <StatusBadge tone="neutral">Default</StatusBadge>
        )}
      </div>
    </li>
  );
}

function Value({ setting: { value, secret, is_set } }: { setting: EffectiveSetting }) {
  if (secret && is_set) return <Text c="dimmed">Set, not shown</Text>;
  if (value === null) return <Text c="dimmed">Not set</Text>;
  return <code>{value}</code>;
}

function matches({ name, value, meaning }: EffectiveSetting, search: string): boolean {
  const text = `${name} ${value} ${meaning}`.toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** The texts are those of the documentation: code in backticks, and links to other pages of it. */
function withoutMarkdown(text: string): string {
  return text
    .replaceAll("`", "")
    .replace(/ See \[[^\]]*\]\([^)]*\)\./g, "")
    .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1");
}
