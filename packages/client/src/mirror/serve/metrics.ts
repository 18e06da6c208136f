import type { VerifiedMirror } from "./verified-mirror.ts";

/** What a request asks for. */
export type RequestKind = "document" | "file" | "patch" | "geoipupdate" | "events" | "status" | "other";

interface Counted {
  kind: RequestKind;
  status: number;
}

/** Whether the service could be reached in the last round. */
export interface VendorState {
  /** Null if the last round reached it. */
  error: string | null;
}

/** Counts what was sent, and writes it in the text format of Prometheus. */
export class MirrorMetrics {
  readonly #requests = new Map<string, Counted & { count: number; bytes: number }>();

  count({ kind, status }: Counted, bytes: number): void {
    const name = `${kind} ${status}`;
    const counted = this.#requests.get(name) ?? { kind, status, count: 0, bytes: 0 };
    counted.count += 1;
    counted.bytes += bytes;
    this.#requests.set(name, counted);
  }

  text(mirror: VerifiedMirror, vendor: VendorState, streams: number): string {
    const requests = [...this.#requests.values()];
    const labels = ({ kind, status }: Counted) => `{kind="${kind}",status="${status}"}`;
    const perDatabase = (value: (database: VerifiedMirror["databases"][number]) => number) =>
      mirror.databases.map((database) => `{database="${database.id}"} ${value(database)}`);
    return [
      metric("requests_total", "counter", "Requests, by what they asked for.", [
        ...requests.map((counted) => `${labels(counted)} ${counted.count}`),
      ]),
      metric("sent_bytes_total", "counter", "Bytes that were sent, with headers.", [
        ...requests.map((counted) => `${labels(counted)} ${counted.bytes}`),
      ]),
      metric("event_streams", "gauge", "Clients that follow the mirror.", [` ${streams}`]),
      metric("vendor_up", "gauge", "Whether the last round reached the vendor's service.", [
        ` ${vendor.error === null ? 1 : 0}`,
      ]),
      metric("checked_timestamp_seconds", "gauge", "When everything was last compared with the vendor's service.", [
        ...(mirror.checked ? [` ${mirror.checked.getTime() / 1000}`] : []),
      ]),
      metric("manifest_sequence", "gauge", "The newest manifest of a database.", [
        ...perDatabase(({ manifest }) => manifest.sequence),
      ]),
      metric("build_published_timestamp_seconds", "gauge", "When the vendor published the current build.", [
        ...perDatabase(({ manifest }) => Date.parse(manifest.published ?? manifest.created) / 1000),
      ]),
      metric(
        "freshness_valid_until_timestamp_seconds",
        "gauge",
        "When the statement of freshness of a database ends.",
        [
          ...mirror.databases.flatMap(({ id, freshUntil }) =>
            freshUntil ? [`{database="${id}"} ${freshUntil.getTime() / 1000}`] : [],
          ),
        ],
      ),
    ].join("");
  }
}

function metric(name: string, type: string, help: string, samples: readonly string[]): string {
  const full = `dbdepot_mirror_${name}`;
  return `# HELP ${full} ${help}\n# TYPE ${full} ${type}\n${samples.map((sample) => `${full}${sample}\n`).join("")}`;
}
