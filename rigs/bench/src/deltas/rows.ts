import { Random } from "../../../harness/random.ts";

/** Rows of a geolocation database: disjoint networks in order, mostly IPv4, and values that neighbours often share. */
const HEADER = "network,country,region,city,postal,lat,lon,asn,organization,is_anonymous\n";
const IPV4_SHARE = 0.85;
const IPV4_FIRST = 0x01000000;
const IPV4_END = 0xdf000000;
const COUNTRIES = "US DE FR GB NL CN JP BR IN RU KR CA AU IT ES PL SE CH UA TR MX AR ZA ID VN TH SG HK TW FI".split(
  " ",
);
const SYLLABLES =
  "net tel com host data cloud fiber link wave star north south east west blue green core edge hub".split(" ");
const SUFFIXES = ["Inc.", "LLC", "GmbH", "Ltd", "S.A.", "B.V.", "Telecom", "Hosting", "Networks"];
/** Large real databases have about as many. */
const MAX_PLACES = 90_000;
const MAX_ORGANIZATIONS = 70_000;
const EARLIER_ROWS = 10_000;

/** Yields the lines of a CSV, header first. */
export function* csvLines(rows: number): Generator<string> {
  const random = new Random(1);
  const values = valuesOf(random, rows);
  yield HEADER;
  const ipv4Rows = Math.floor(rows * IPV4_SHARE);
  const span = (IPV4_END - IPV4_FIRST) / ipv4Rows;
  let next = IPV4_FIRST;
  for (let i = 0; i < ipv4Rows; i++) {
    const hostBits = Math.max(2, Math.min(14, Math.round(Math.log2(span) - 1 + (random.next() - 0.5) * 5)));
    const size = 2 ** hostBits;
    const start = Math.ceil(Math.max(next, IPV4_FIRST + span * i) / size) * size;
    next = start + size;
    yield `${[24, 16, 8, 0].map((shift) => (start >>> shift) & 255).join(".")}/${32 - hostBits},${values.next()}`;
  }
  let high = 0x24000000;
  let low = 0;
  for (let i = ipv4Rows; i < rows; i++) {
    low += random.integer(1, 3);
    if (low > 0xffff || random.chance(0.05)) {
      low = 0;
      high += random.integer(1, 5);
    }
    const groups = [high >>> 16, high & 0xffff, low].map((group) => group.toString(16));
    yield `${groups.join(":")}::/48,${values.next()}`;
  }
}

/**
 * The rows of the next day. Of the changed ones, 70 % get other values, in half of them only in the last column; 15 % are
 * removed; and 15 % get a new network inside of theirs.
 */
export function* nextDay(lines: Iterable<string>, changedShare: number): Generator<string> {
  const random = new Random(7);
  /** The values of earlier rows, from which changed rows get theirs. */
  const earlier: string[] = [];
  for (const line of lines) {
    if (line === HEADER) {
      yield line;
      continue;
    }
    const comma = line.indexOf(",");
    earlier[random.integer(0, Math.min(earlier.length, EARLIER_ROWS - 1))] = line.slice(comma);
    const kind = random.chance(changedShare) ? random.next() : undefined;
    if (kind === undefined) yield line;
    else if (kind < 0.35) yield line.slice(0, comma) + random.pick(earlier);
    else if (kind < 0.7) yield line.replace(/(true|false)\n$/, (_, last) => (last === "true" ? "false\n" : "true\n"));
    else if (kind >= 0.85) {
      yield line;
      yield `${line.slice(0, line.indexOf("/"))}/${line.includes(":") ? 64 : 32}${random.pick(earlier)}`;
    }
  }
}

function valuesOf(random: Random, rows: number): { next(): string } {
  const word = (syllables: number) => Array.from({ length: syllables }, () => random.pick(SYLLABLES)).join("");
  const places = Array.from({ length: Math.min(MAX_PLACES, Math.max(500, rows >> 3)) }, () => {
    const [lat, lon] = [random.integer(-600_000, 800_000), random.integer(-1_800_000, 1_800_000)];
    const position = `${(lat / 10_000).toFixed(4)},${(lon / 10_000).toFixed(4)}`;
    return `${skewed(random, COUNTRIES)},${word(1)},${word(2)},${random.integer(10_000, 99_999)},${position}`;
  });
  const organizations = Array.from({ length: Math.min(MAX_ORGANIZATIONS, Math.max(500, rows >> 3)) }, () => {
    const name = `${word(random.integer(1, 3))}${random.chance(0.3) ? "," : ""} ${random.pick(SUFFIXES)}`;
    return `${random.integer(100, 400_000)},${name.includes(",") ? `"${name}"` : name}`;
  });
  let place = random.pick(places);
  let organization = random.pick(organizations);
  return {
    next() {
      if (random.chance(0.5)) place = skewed(random, places);
      if (random.chance(0.35)) organization = skewed(random, organizations);
      return `${place},${organization},${random.chance(0.02)}\n`;
    },
  };
}

/** Picks early items far more often than late ones. */
function skewed(random: Random, items: readonly string[]): string {
  const index = Math.floor(Math.exp(random.next() * Math.log(items.length))) - 1;
  return items[Math.max(0, index)] as string;
}
