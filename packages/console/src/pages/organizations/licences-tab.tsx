import type { OperatorLicence } from "@dbdepot/contract/operator/licences";
import type { OperatorOrganization } from "@dbdepot/contract/operator/organizations";
import { Button, Group, Menu, Stack } from "@mantine/core";
import { IconCertificate, IconPlayerStop, IconPlus, IconRefresh } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useOpens } from "../../app/opens.ts";
import { ActionsMenu, MenuAction } from "../../components/actions-menu.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { LicenceTimeline, type TimelineLicence } from "../../components/licence-timeline.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { familiesQuery } from "../catalogue/api.ts";
import { licencesOf } from "../licences/api.ts";
import { allTermsQuery } from "../terms/api.ts";
import { EndLicenceDialog } from "./end-licence-dialog.tsx";
import { GrantDialog } from "./grant-dialog.tsx";
import { RenewDialog } from "./renew-dialog.tsx";

type NamedLicence = OperatorLicence & TimelineLicence;

type LicenceAction = { kind: "grant" } | { kind: "renew" | "end"; licence: NamedLicence };

interface LicencesTabProps {
  organization: OperatorOrganization;
  canChange: boolean;
}

export function LicencesTab({ organization, canChange }: LicencesTabProps) {
  const licences = useQuery(licencesOf(organization.id));
  const { data: families } = useQuery(familiesQuery);
  const { data: terms } = useQuery(allTermsQuery);
  const [action, setAction] = useState<LicenceAction>();
  useOpens("grant", () => setAction({ kind: "grant" }), canChange);
  const close = () => setAction(undefined);
  const named = (licence: OperatorLicence): NamedLicence => ({
    ...licence,
    name: families?.find(({ base }) => base === licence.base)?.name ?? licence.base,
  });
  const grantButton = canChange && (
    <Button leftSection={<IconPlus size={16} stroke={2} />} onClick={() => setAction({ kind: "grant" })}>
      Grant a licence
    </Button>
  );
  return (
    <Stack gap="md">
      <Loaded
        query={licences}
        isEmpty={(all) => all.length === 0}
        empty={
          <EmptyState
            icon={IconCertificate}
            title="No licences yet"
            text={`Without a licence, ${organization.name} can download open databases and samples only.`}
            action={grantButton}
          />
        }
      >
        {(all) => (
          <>
            {grantButton && <Group justify="flex-end">{grantButton}</Group>}
            <LicenceTimeline
              licences={all.map(named)}
              termsTitle={(id) => terms?.find((each) => each.id === id)?.title}
              {...(canChange && {
                actionsOf: (licence: NamedLicence) => <LicenceMenu licence={licence} onAction={setAction} />,
              })}
            />
          </>
        )}
      </Loaded>
      {action?.kind === "grant" && <GrantDialog organization={organization} onClose={close} />}
      {action?.kind === "renew" && <RenewDialog licence={action.licence} onClose={close} />}
      {action?.kind === "end" && <EndLicenceDialog licence={action.licence} onClose={close} />}
    </Stack>
  );
}

interface LicenceMenuProps {
  licence: NamedLicence;
  onAction: (action: LicenceAction) => void;
}

function LicenceMenu({ licence, onAction }: LicenceMenuProps) {
  return (
    <ActionsMenu subject={`the licence for ${licence.name}`} width={180}>
      <MenuAction icon={IconRefresh} onClick={() => onAction({ kind: "renew", licence })}>
        Renew or change dates
      </MenuAction>
      {licence.state !== "ended" && (
        <>
          <Menu.Divider />
          <MenuAction icon={IconPlayerStop} isDangerous onClick={() => onAction({ kind: "end", licence })}>
            End now
          </MenuAction>
        </>
      )}
    </ActionsMenu>
  );
}
