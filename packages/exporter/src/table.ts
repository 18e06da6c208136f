import { isProviderFamily } from "@dbdepot/contract/shared/database-id";
import { FORMATS, type Format } from "@dbdepot/contract/shared/formats";
import type { ColumnSpec } from "./columns/column-spec.ts";
import type { ColumnType } from "./columns/column-type.ts";
import { findNetworkKey, isKeyColumn, keyColumnType, type NetworkKey, networkKeyFault } from "./columns/network-key.ts";
import { ExportFault } from "./export-fault.ts";

export interface TableColumn {
  name: string;
  /** Undefined if it is to be inferred. */
  givenType: ColumnType | undefined;
  description: string | undefined;
  /** Whether it is the row's network, or one end of it. Then it is not a field of the mmdb's records. */
  isKey: boolean;
}

/** The columns and formats of an export. */
export interface Table {
  columns: TableColumn[];
  formats: Format[];
  /** Set if an mmdb is created. */
  key: NetworkKey | undefined;
}

export interface TableOptions {
  /** The family's name. */
  base: string;
  /** Undefined for every format that the data allows. */
  formats: readonly Format[] | undefined;
  specs: readonly ColumnSpec[];
}

export function planTable(header: readonly string[], options: TableOptions): Table {
  const faults = [...headerFaults(header), ...specFaults(header, options.specs)];
  if (faults.length > 0) throw new ExportFault(faults);

  const found = findNetworkKey(header, options.specs);
  const formats = chooseFormats(header, options, found);
  const key = formats.includes("mmdb") ? found : undefined;
  const columns = header.map((name, index) => {
    const spec = options.specs.find((candidate) => candidate.name === name);
    const isKey = key !== undefined && isKeyColumn(key, index);
    const givenType = isKey ? keyColumnType(key, name, valueType(spec)) : valueType(spec);
    return { name, givenType, description: spec?.description, isKey };
  });
  return { columns, formats, key };
}

/** Provider catalogues have no mmdb, whatever their columns are. */
function chooseFormats(
  header: readonly string[],
  { base, formats }: TableOptions,
  key: NetworkKey | undefined,
): Format[] {
  const isProviderCatalogue = isProviderFamily(base);
  if (formats === undefined) return key !== undefined && !isProviderCatalogue ? [...FORMATS] : ["csvgz"];
  if (formats.includes("mmdb") && isProviderCatalogue) {
    throw new ExportFault([`${base} is a catalogue keyed by provider id: it has no mmdb`]);
  }
  if (formats.includes("mmdb") && key === undefined) {
    throw new ExportFault([
      `an mmdb needs a network in each row, but none of the columns ${header.join(", ")} contains one: ` +
        "name the column network, or the columns first_ip and last_ip, or use these as types",
    ]);
  }
  return FORMATS.filter((format) => formats.includes(format));
}

function valueType(spec: ColumnSpec | undefined): ColumnType | undefined {
  if (spec?.type === "network") return "cidr";
  return spec?.type === "first_ip" || spec?.type === "last_ip" ? "ip" : spec?.type;
}

function headerFaults(header: readonly string[]): string[] {
  const separator = header.length === 1 ? /[;\t]/.exec(header[0] ?? "")?.[0] : undefined;
  if (separator) {
    const name = separator === ";" ? "semicolons" : "tabs";
    return [`header: the columns are separated by ${name}: separate them by commas, in every row`];
  }
  const faults: string[] = [];
  for (const [index, name] of header.entries()) {
    if (name.trim() === "") faults.push(`header: column ${index + 1} has no name`);
    // A zero byte after each letter is a sign of UTF-16 without a byte order mark.
    else if (/\p{Cc}/u.test(name)) faults.push(`header: the name ${JSON.stringify(name)} has control characters`);
    else if (header.indexOf(name) !== index) faults.push(`header: the name ${JSON.stringify(name)} appears twice`);
  }
  return faults;
}

function specFaults(header: readonly string[], specs: readonly ColumnSpec[]): string[] {
  const faults: string[] = [];
  for (const [index, { name }] of specs.entries()) {
    if (!header.includes(name)) faults.push(`columns: the input has no column ${JSON.stringify(name)}`);
    else if (specs.findIndex((spec) => spec.name === name) !== index) {
      faults.push(`columns: ${JSON.stringify(name)} appears twice`);
    }
  }
  const keyFault = networkKeyFault(specs);
  return keyFault === undefined ? faults : [...faults, keyFault];
}
