import type { OwnLicence } from "@dbdepot/contract/console/licences";
import { Group, Text, ThemeIcon } from "@mantine/core";
import { IconCalendarEvent, IconHourglassLow, IconPlayerPlay, IconRefresh } from "@tabler/icons-react";
import { Section } from "../../components/section.tsx";
import { CalendarDate, Time } from "../../components/time.tsx";
import { type LicenceEvent, SOON_DAYS, upcomingEvents } from "./events.ts";
import classes from "./licences.module.css";
import { RequestAccess } from "./request-access.tsx";

const KINDS = {
  ends: { icon: IconHourglassLow, color: "orange", words: (name: string) => `The licence for ${name} ends` },
  starts: { icon: IconPlayerPlay, color: "accent", words: (name: string) => `The licence for ${name} starts` },
  renews: { icon: IconRefresh, color: "accent", words: (name: string) => `The contract for ${name} renews` },
  notice: { icon: IconCalendarEvent, color: "orange", words: (name: string) => `Last day to cancel ${name}` },
};

export function ComingUp({ licences }: { licences: readonly OwnLicence[] }) {
  const events = upcomingEvents(licences);
  return (
    <Section title="Coming up" description={`What ends, starts or renews in the next ${SOON_DAYS} days.`}>
      {events.length === 0 ? (
        <Text>Nothing changes in the next {SOON_DAYS} days.</Text>
      ) : (
        <ul className={classes.list}>
          {events.map((event) => (
            <EventRow key={`${event.licence.id} ${event.kind}`} event={event} />
          ))}
        </ul>
      )}
    </Section>
  );
}

function EventRow({ event: { kind, time, licence } }: { event: LicenceEvent }) {
  const { icon: Icon, color, words } = KINDS[kind];
  return (
    <li className={classes.item}>
      <Group gap="sm" wrap="nowrap" className={classes.what ?? ""}>
        <ThemeIcon variant="light" color={color} radius="xl" size="md">
          <Icon size={16} stroke={1.8} />
        </ThemeIcon>
        <div>
          <Text fw={500}>{words(licence.name)}</Text>
          <Text size="sm" c="dimmed">
            <CalendarDate value={time} /> · <Time value={time} />
          </Text>
        </div>
      </Group>
      {kind === "ends" && <RequestAccess base={licence.base} name={licence.name} isRenewal />}
    </li>
  );
}
