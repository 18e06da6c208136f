import type { ListedVersion } from "@dbdepot/contract/operator/catalogue";
import { Button, Group, Menu, Stack, Text } from "@mantine/core";
import { IconArchive, IconChevronDown, IconPencil, IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { NotFound } from "../../app/page-states.tsx";
import { useAccount } from "../../app/session.ts";
import { EmptyState } from "../../components/empty-state.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { BackLink, Page } from "../../components/page.tsx";
import { VersionSwitch } from "../databases/version-switch.tsx";
import { ACCESS_DESCRIPTIONS, AccessBadge, ArchivedBadge, accessOf } from "./access.tsx";
import { type CatalogueEntry, catalogueQuery } from "./api.ts";
import { type Archivable, ArchiveDialog, ArchivedNote } from "./archiving.tsx";
import { FamilyForm } from "./family-form.tsx";
import { VersionForm } from "./version-form.tsx";
import { VersionSection } from "./version-section.tsx";

const route = getRouteApi("/signed-in/catalogue/$base");

type Action =
  | { kind: "edit-family" }
  | { kind: "version"; edited?: ListedVersion }
  | { kind: "archive"; subject: Archivable };

export function CatalogueFamily() {
  const { base } = route.useParams();
  const catalogue = useQuery(catalogueQuery);
  return (
    <Loaded query={catalogue}>
      {(entries) => {
        const entry = entries.find(({ family }) => family.base === base);
        return entry ? <FamilyPage entry={entry} /> : <NotFound />;
      }}
    </Loaded>
  );
}

function FamilyPage({ entry: { family, versions } }: { entry: CatalogueEntry }) {
  const canChange = useAccount().role === "operator";
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const [action, setAction] = useState<Action>();
  const close = () => setAction(undefined);
  const showVersion = (version: number) => void navigate({ search: { version }, replace: true });
  const shown =
    versions.find(({ version }) => version === search.version) ??
    versions.findLast(({ current_build, archived }) => current_build && !archived) ??
    versions.at(-1);
  const subject: Archivable = { kind: "family", id: family.base, name: family.name };
  const addVersion = canChange && (
    <Button leftSection={<IconPlus size={16} stroke={2} />} onClick={() => setAction({ kind: "version" })}>
      Add version
    </Button>
  );
  return (
    <Stack gap="sm">
      <BackLink to="/catalogue">Catalogue</BackLink>
      <Page
        title={family.name}
        description={
          <Group gap="xs">
            <AccessBadge family={family} />
            {family.archived && <ArchivedBadge />}
            <Text size="sm">
              <code>{family.base}</code> · {ACCESS_DESCRIPTIONS[accessOf(family)]}
            </Text>
          </Group>
        }
        actions={
          canChange && (
            <FamilyMenu
              isArchived={family.archived !== null}
              onEdit={() => setAction({ kind: "edit-family" })}
              onAddVersion={() => setAction({ kind: "version" })}
              onArchive={() => setAction({ kind: "archive", subject })}
            />
          )
        }
      >
        {family.archived && <ArchivedNote subject={subject} canChange={canChange} />}
        {versions.length > 1 && shown && (
          <VersionSwitch versions={versions} shown={shown.version} onChange={showVersion} />
        )}
        {shown ? (
          <VersionSection
            key={shown.id}
            version={shown}
            canChange={canChange}
            canPublish={canChange && !family.archived && !shown.archived}
            onEdit={() => setAction({ kind: "version", edited: shown })}
            onArchive={() => setAction({ kind: "archive", subject: { kind: "version", id: shown.id, name: shown.id } })}
          />
        ) : (
          <EmptyState
            icon={IconPlus}
            title="No version yet"
            text="Add one to publish builds. Its id, formats and columns never change. Customers see it once it has a build."
            action={addVersion}
          />
        )}
      </Page>
      {action?.kind === "edit-family" && <FamilyForm edited={family} onClose={close} />}
      {action?.kind === "version" && (
        <VersionForm
          family={family}
          nextNumber={(versions.at(-1)?.version ?? 0) + 1}
          edited={action.edited}
          onClose={close}
          onSaved={showVersion}
        />
      )}
      {action?.kind === "archive" && <ArchiveDialog subject={action.subject} onClose={close} />}
    </Stack>
  );
}

interface FamilyMenuProps {
  isArchived: boolean;
  onEdit: () => void;
  onAddVersion: () => void;
  onArchive: () => void;
}

function FamilyMenu({ isArchived, onEdit, onAddVersion, onArchive }: FamilyMenuProps) {
  return (
    <Menu position="bottom-end" shadow="md" width={200}>
      <Menu.Target>
        <Button variant="default" rightSection={<IconChevronDown size={16} stroke={1.6} />}>
          Change family
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconPencil size={16} stroke={1.6} />} onClick={onEdit}>
          Edit name and access
        </Menu.Item>
        <Menu.Item leftSection={<IconPlus size={16} stroke={1.6} />} onClick={onAddVersion}>
          Add version
        </Menu.Item>
        {!isArchived && (
          <Menu.Item color="red" leftSection={<IconArchive size={16} stroke={1.6} />} onClick={onArchive}>
            Archive family
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
