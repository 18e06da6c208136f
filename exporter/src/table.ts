import { isProviderFamily } from "@dbdepot/contract/database-id";
import { FORMATS, type Format } from "@dbdepot/contract/formats";
import type { ColumnSpec } from "./columns/column-spec.ts";
import type { ColumnType } from "./columns/column-type.ts";
import { findNetworkKey, isKeyColumn, keyColumnType, type NetworkKey, networkKeyFault } from "./columns/network-key.ts";
import { ExportFault } from "./export-fault.ts";

export interface TableColumn {
  name: string;
  /** Undefined: to be inferred. */
  givenType: ColumnType | undefined;
  description: string | undefined;
  /** Whether it is the row's network, or one end of it: then it is the tree of an mmdb and no field of its records. */
  isKey: boolean;
}

/** What the header, the family's name and the caller's wishes make of a table. */
export interface Table {
  columns: TableColumn[];
  formats: Format[];
  /** Set where an mmdb is made. */
  key: NetworkKey | undefined;
}

export interface TableWishes {
  /** The family's name. */
  base: string;
  /** Undefined: all that the data allows. */
  formats: readonly Format[] | undefined;
  specs: readonly ColumnSpec[];
}

export function planTable(header: readonly string[], wishes: TableWishes): Table {
  const faults = [...headerFaults(header), ...specFaults(header, wishes.specs)];
  if (faults.length > 0) throw new ExportFault(faults);

  const found = findNetworkKey(header, wishes.specs);
  const formats = chooseFormats(header, wishes, found);
  const key = formats.includes("mmdb") ? found : undefined;
  const columns = header.map((name, place) => {
    const spec = wishes.specs.find((candidate) => candidate.name === name);
    const isKey = key !== undefined && isKeyColumn(key, place);
    const givenType = isKey ? keyColumnType(key, name, valueType(spec)) : valueType(spec);
    return { name, givenType, description: spec?.description, isKey };
  });
  return { columns, formats, key };
}

/** Catalogues of providers have no mmdb, by the contract, whatever their columns are. */
function chooseFormats(
  header: readonly string[],
  { base, formats }: TableWishes,
  key: NetworkKey | undefined,
): Format[] {
  const isProviderCatalogue = isProviderFamily(base);
  if (formats === undefined) return key !== undefined && !isProviderCatalogue ? [...FORMATS] : ["csvgz"];
  if (formats.includes("mmdb") && isProviderCatalogue) {
    throw new ExportFault([`${base} is a catalogue keyed by provider id: it has no mmdb`]);
  }
  if (formats.includes("mmdb") && key === undefined) {
    throw new ExportFault([
      `an mmdb needs a network in each row, and none of the columns ${header.join(", ")} is known to hold one: ` +
        "call it network, or first_ip and last_ip, or give it one of these as its type",
    ]);
  }
  return FORMATS.filter((format) => formats.includes(format));
}

function valueType(spec: ColumnSpec | undefined): ColumnType | undefined {
  if (spec?.type === "network") return "cidr";
  return spec?.type === "first_ip" || spec?.type === "last_ip" ? "ip" : spec?.type;
}

function headerFaults(header: readonly string[]): string[] {
  const faults: string[] = [];
  for (const [place, name] of header.entries()) {
    if (name.trim() === "") faults.push(`header: column ${place + 1} has no name`);
    // A zero byte after each letter: UTF-16 without its mark.
    else if (/\p{Cc}/u.test(name)) faults.push(`header: the name ${JSON.stringify(name)} has control characters`);
    else if (header.indexOf(name) !== place) faults.push(`header: the name ${JSON.stringify(name)} is there twice`);
  }
  return faults;
}

function specFaults(header: readonly string[], specs: readonly ColumnSpec[]): string[] {
  const faults: string[] = [];
  for (const [place, { name }] of specs.entries()) {
    if (!header.includes(name)) faults.push(`columns: there is no column ${JSON.stringify(name)}`);
    else if (specs.findIndex((spec) => spec.name === name) !== place) {
      faults.push(`columns: ${JSON.stringify(name)} is there twice`);
    }
  }
  const keyFault = networkKeyFault(specs);
  return keyFault === undefined ? faults : [...faults, keyFault];
}
