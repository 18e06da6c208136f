import { baseOf, idPrefix, licencesPerOrganization } from "./names.ts";
import type { Scale } from "./scale.ts";

const SPAN_MS = 200 * 24 * 3_600_000;

/** Expressions that differ between SQLite and PostgreSQL. */
interface Dialect {
  /** Defines `series(i)`. */
  series(count: number): string;
  hex12(number: string): string;
  digits4(number: string): string;
  time(ms: string): string;
}

const SQLITE: Dialect = {
  series: (count) => `with recursive series(i) as (select 0 union all select i + 1 from series where i < ${count - 1})`,
  hex12: (number) => `printf('%012x', ${number})`,
  digits4: (number) => `printf('%04d', ${number})`,
  time: (ms) => `strftime('%Y-%m-%dT%H:%M:%fZ', ${ms} / 1000.0, 'unixepoch')`,
};

const POSTGRES: Dialect = {
  series: (count) => `with series(i) as (select generate_series(0::bigint, ${count - 1}))`,
  hex12: (number) => `lpad(to_hex(${number}), 12, '0')`,
  digits4: (number) => `lpad((${number})::text, 4, '0')`,
  time: (ms) => `to_char(to_timestamp(${ms} / 1000.0) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
};

/** Fills the history of the last months. Organizations alternate, so the rows of one organization are far apart. */
export function historySql(engine: "sqlite" | "postgres", scale: Scale): string {
  const { series, hex12, digits4, time } = engine === "sqlite" ? SQLITE : POSTGRES;
  const { attempts, organizations, families } = scale;
  const stepMs = Math.floor(SPAN_MS / attempts);
  const organization = `i % ${organizations}`;
  const family = digits4(`${organization} * ${licencesPerOrganization(scale)} % ${families}`);
  const ms = `(${Date.now() - SPAN_MS} + i * ${stepMs})`;
  return `
    ${series(attempts)}
    insert into attempts
      (id, api, organization_id, key_id, dataset_id, format, outcome, bytes, http_status, client_ip, user_agent, created)
    select substr(${hex12(ms)}, 1, 8) || '-' || substr(${hex12(ms)}, 9, 4) || '-7000-8000-' || ${hex12("i")}, 'v2',
      '${idPrefix("organization")}' || ${hex12(organization)}, '${idPrefix("key")}' || ${hex12(organization)},
      replace('${baseOf(0)}', '0000', ${family}) || '_v1', 'mmdb', 'ok', 73400320, 302, '192.0.2.1', 'curl/8.0', ${time(ms)}
    from series`;
}
