import type { Format } from "@dbdepot/contract/shared/formats";
import type { ColumnSpec } from "@dbdepot/exporter/columns/column-spec";
import type { ObjectRow } from "@dbdepot/exporter/input/object-rows";
import type { Visibility } from "../../domain/catalogue/family.ts";
import { BOGON_ASNS, BOGON_NETWORKS } from "./bogons.ts";
import { exitRows, providerNetworkRows, providerRows } from "./examples.ts";

export interface DemoVersion {
  id: string;
  summary: string;
  formats: Format[];
  /** Null if it has no build. */
  rows: readonly ObjectRow[] | null;
  columns: readonly ColumnSpec[];
  /** Adds samples with this many rows. */
  sampleRows?: number;
}

export interface DemoFamily {
  base: string;
  name: string;
  visibility: Visibility;
  open?: boolean;
  versions: readonly DemoVersion[];
}

const BOTH: Format[] = ["csvgz", "mmdb"];
const NETWORK: ColumnSpec = { name: "network", type: "network", description: "Network described by the row." };

export const DEMO_FAMILIES: readonly DemoFamily[] = [
  {
    base: "bogon_ip",
    name: "Bogon IP",
    visibility: "public",
    versions: [
      {
        id: "bogon_ip_v1",
        summary: "Networks that are not routed on the public Internet",
        formats: BOTH,
        rows: BOGON_NETWORKS.map(({ network, name }) => ({ network, name })),
        columns: [NETWORK, { name: "name", description: "What the network is reserved for." }],
      },
      {
        id: "bogon_ip_v2",
        summary:
          "Networks that are not routed on the public Internet, with their RFC and whether routers may forward them",
        formats: BOTH,
        rows: BOGON_NETWORKS.map((row) => ({ ...row })),
        columns: [
          NETWORK,
          { name: "name", description: "What the network is reserved for." },
          { name: "rfc", description: "RFC that reserves the network." },
          { name: "forwardable", description: "Whether routers may forward its packets." },
        ],
      },
    ],
  },
  {
    base: "bogon_asn",
    name: "Bogon ASN",
    visibility: "public",
    open: true,
    versions: [
      {
        id: "bogon_asn_v1",
        summary: "AS numbers that are not used on the public Internet",
        formats: ["csvgz"],
        rows: BOGON_ASNS,
        columns: [{ name: "first_asn", description: "First AS number of the range." }],
      },
    ],
  },
  {
    base: "hosting_provider",
    name: "Hosting providers",
    visibility: "public",
    versions: [
      {
        id: "hosting_provider_v1",
        summary: "Hosting providers, keyed by id (example data)",
        formats: ["csvgz"],
        rows: providerRows(),
        columns: [{ name: "provider_id", description: "Id of the provider in other databases." }],
      },
    ],
  },
  {
    base: "tor_ip",
    name: "Tor IP",
    visibility: "public",
    versions: [
      {
        id: "tor_ip_v1",
        summary: "Addresses of Tor relays (example data in documentation networks)",
        formats: BOTH,
        rows: exitRows(),
        sampleRows: 5,
        columns: [NETWORK, { name: "exit", description: "Whether the relay is an exit." }],
      },
    ],
  },
  {
    base: "vpn_ip",
    name: "VPN IP",
    visibility: "public",
    versions: [
      {
        id: "vpn_ip_v1",
        summary: "Networks of VPN providers (example data in documentation networks)",
        formats: BOTH,
        rows: providerNetworkRows(),
        sampleRows: 5,
        columns: [NETWORK, { name: "provider", description: "Id of the provider in hosting_provider." }],
      },
      {
        id: "vpn_ip_v2",
        summary: "Next version of vpn_ip, without a published build",
        formats: BOTH,
        rows: null,
        columns: [],
      },
    ],
  },
  {
    base: "pilot_ip",
    name: "Pilot IP",
    visibility: "private",
    versions: [
      {
        id: "pilot_ip_v1",
        summary: "A private family, visible only with a licence (example data)",
        formats: BOTH,
        rows: providerNetworkRows(),
        columns: [NETWORK],
      },
    ],
  },
];
