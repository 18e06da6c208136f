import { Button } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useOpens } from "../../app/opens.ts";
import { Page } from "../../components/page.tsx";
import { DestinationFormDialog } from "./destination-form.tsx";
import { DestinationList } from "./destination-list.tsx";
import { type DestinationSource, destinationsQuery, obstacleOf, sourceOf } from "./destination-source.ts";

const OWN = sourceOf(undefined);

export function Destinations() {
  return (
    <Page
      title="Destinations"
      description="Have new builds put into your own buckets, with a marker that comes last, instead of downloading them."
      actions={<CreateDestination source={OWN} />}
    >
      <DestinationList source={OWN} canChange askWho="Ask your vendor for them." />
    </Page>
  );
}

/** The button with its form, if deliveries are possible. */
export function CreateDestination({ source }: { source: DestinationSource }) {
  const [isOpen, setOpen] = useState(false);
  const { data } = useQuery(destinationsQuery(source));
  const isPossible = data !== undefined && !obstacleOf(data.setup);
  useOpens("create", () => setOpen(true), isPossible);
  if (!isPossible) return null;
  return (
    <>
      <Button leftSection={<IconPlus size={16} stroke={2} />} onClick={() => setOpen(true)}>
        Create destination
      </Button>
      {isOpen && <DestinationFormDialog source={source} setup={data.setup} onClose={() => setOpen(false)} />}
    </>
  );
}
