import type { Destination } from "@dbdepot/contract/v2/destinations";
import { Alert } from "@mantine/core";
import { IconBucket } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { DataTable } from "../../components/data-table.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import type { Column } from "../../components/table-layout.ts";
import { TwoLines } from "../../components/table-row.tsx";
import { LastTime, Time } from "../../components/time.tsx";
import { WAYS } from "./access-fields.tsx";
import { DestinationMenu } from "./destination-menu.tsx";
import { type DestinationSource, destinationPage, destinationsQuery, obstacleOf } from "./destination-source.ts";
import { DestinationState, locationOf } from "./state.tsx";

interface DestinationListProps {
  source: DestinationSource;
  canChange: boolean;
  /** Says whom to ask if deliveries are not possible. */
  askWho: string;
}

/** Lists the destinations of an organization, or explains why it can't have any. */
export function DestinationList({ source, canChange, askWho }: DestinationListProps) {
  const query = useQuery(destinationsQuery(source));
  const obstacle = query.data && obstacleOf(query.data.setup);
  const explanation = obstacle && `${obstacle} ${askWho}`;
  return (
    <>
      {explanation && query.data?.destinations.length !== 0 && (
        <Alert variant="light" color="yellow" title="Nothing is delivered">
          {explanation}
        </Alert>
      )}
      <DataTable
        label="Destinations"
        query={{ ...query, data: query.data?.destinations }}
        columns={COLUMNS}
        linkOf={({ id }) => destinationPage(source, id)}
        {...(canChange && {
          actions: (destination: Destination) => <DestinationMenu source={source} destination={destination} />,
        })}
        empty={
          <EmptyState
            icon={IconBucket}
            title={explanation ? "Deliveries are not available" : "No destinations yet"}
            text={
              explanation ??
              "A destination is a bucket of S3-compatible storage. After each publication, the new build is put into it, so that no downloader has to run."
            }
          />
        }
      />
    </>
  );
}

const COLUMNS: Column<Destination>[] = [
  {
    heading: "Bucket",
    min: 220,
    cell: (destination) => (
      <TwoLines truncate detail={destination.description}>
        {locationOf(destination)}
      </TwoLines>
    ),
  },
  { heading: "Status", min: 170, cell: (destination) => <DestinationState destination={destination} /> },
  { heading: "Access", min: 140, priority: 3, cell: ({ access }) => WAYS[access].label },
  { heading: "Last delivered", w: 145, cell: ({ last_delivered }) => <LastTime value={last_delivered} /> },
  { heading: "Created", w: 135, priority: 3, cell: ({ created }) => <Time value={created} show="date" /> },
];
