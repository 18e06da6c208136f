import type { Setup } from "@dbdepot/contract/console/overview";
import { Button, CloseButton, Group, Paper, Text, Title } from "@mantine/core";
import { useLocalStorage } from "@mantine/hooks";
import { IconCircle, IconCircleCheckFilled } from "@tabler/icons-react";
import { Link, type LinkProps } from "@tanstack/react-router";
import { useSession } from "../../app/session.ts";
import { CopyButton } from "../../components/copy-button.tsx";
import { Time } from "../../components/time.tsx";
import classes from "./overview.module.css";

interface Step {
  fact: keyof Setup;
  title: string;
  /** Leads to the page that does it, if the console can. */
  button?: { label: string } & Pick<LinkProps, "to" | "state">;
  command: string;
}

const STEPS: readonly Step[] = [
  {
    fact: "database",
    title: "Add a database",
    button: { label: "Add a family", to: "/catalogue", state: { opens: "create" } },
    command:
      'dbdepot-server families add vpn_ip --name "VPN IP" && dbdepot-server versions add vpn_ip_v1 --summary "VPN exits" --formats csvgz,mmdb',
  },
  {
    fact: "build",
    title: "Publish its first build, from a CSV or with your exporter",
    button: { label: "Catalogue", to: "/catalogue" },
    command:
      "dbdepot-server builds publish vpn_ip_v1 --csvgz vpn_ip_v1.csv.gz --mmdb vpn_ip_v1.mmdb --metadata vpn_ip_v1.metadata.json",
  },
  {
    fact: "organization",
    title: "Add your first customer",
    button: { label: "Add an organization", to: "/organizations", state: { opens: "create" } },
    command: 'dbdepot-server orgs add "Acme"',
  },
  {
    fact: "licence",
    title: "Grant the customer a licence",
    button: { label: "Organizations", to: "/organizations" },
    command: "dbdepot-server licences grant Acme vpn_ip --redistribution evaluation",
  },
  {
    fact: "invitation",
    title: "Invite a person of the customer",
    button: { label: "Invite someone", to: "/accounts", state: { opens: "invite" } },
    command: "dbdepot-server accounts invite ada@acme.example --role admin --org Acme",
  },
  {
    fact: "mail",
    title: "Set up e-mail: set DBDEPOT_SMTP_URL and DBDEPOT_MAIL_FROM, and restart",
    button: { label: "Settings", to: "/settings" },
    command: "dbdepot-server mail test you@example.com",
  },
  {
    fact: "last_backup",
    title: "Make a backup, and then one every day",
    command: "dbdepot-server backup /backups/first --objects",
  },
];

/** The steps to put a new service into operation, ticked by what is there. Hidden once all are done, or on request. */
export function SetupChecklist({ setup }: { setup: Setup }) {
  const { demo } = useSession();
  const [isHidden, setHidden] = useLocalStorage({ key: "dbdepot-setup-hidden", defaultValue: false });
  const done = STEPS.filter(({ fact }) => setup[fact]).length;
  if (demo || isHidden || done === STEPS.length) return null;
  return (
    <Paper component="section" className={classes.card ?? ""} aria-label="First steps">
      <Group justify="space-between" px="lg" py="md" wrap="nowrap">
        <Group gap="xs">
          <Title order={2}>First steps</Title>
          <Text c="dimmed">
            {done} of {STEPS.length} done
          </Text>
        </Group>
        <CloseButton aria-label="Hide the first steps" onClick={() => setHidden(true)} />
      </Group>
      <ol className={classes.items}>
        {STEPS.map((step) => (
          <li key={step.fact} className={classes.step}>
            {setup[step.fact] ? (
              <>
                <IconCircleCheckFilled size={18} color="var(--mantine-color-green-7)" aria-label="Done:" />
                <Text c="dimmed" className={classes.what ?? ""}>
                  {step.title}
                  {step.fact === "last_backup" && setup.last_backup && (
                    <>
                      . The last one: <Time value={setup.last_backup} />
                    </>
                  )}
                </Text>
              </>
            ) : (
              <OpenStep {...step} />
            )}
          </li>
        ))}
      </ol>
    </Paper>
  );
}

function OpenStep({ title, button, command }: Step) {
  return (
    <>
      <IconCircle size={18} stroke={1.6} aria-label="Open:" />
      <div className={classes.what}>
        <Text fw={500}>{title}</Text>
        <div className={classes.command}>
          <code>{command}</code>
          <CopyButton value={command} label={`Copy the command: ${title}`} />
        </div>
      </div>
      {button && (
        <Button
          size="xs"
          variant="default"
          renderRoot={(props) => <Link to={button.to} {...(button.state && { state: button.state })} {...props} />}
        >
          {button.label}
        </Button>
      )}
    </>
  );
}
