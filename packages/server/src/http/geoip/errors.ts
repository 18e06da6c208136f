import type { GeoipError } from "@dbdepot/contract/geoip/editions";
import { ERRORS, type ErrorCode } from "@dbdepot/contract/shared/errors";

/** geoipupdate prints at most 256 bytes of an error's body. */
const SENTENCES: Partial<Record<ErrorCode, string>> = {
  UNAUTHORIZED:
    "AccountID or LicenseKey is wrong, or the key lacks the scope db.download. Run `dbdepot whoami` with the key to see its account id and scopes.",
  UNKNOWN_DATASET:
    "EditionIDs contains a database that does not exist. Use ids such as vpn_ip_v1; `dbdepot list` shows them.",
  INVALID_FORMAT:
    "geoipupdate downloads MMDB files in tar.gz only, and this database may have none. `dbdepot list` shows its formats.",
  UNKNOWN_BUILD:
    "The build of this date does not exist or is no longer kept. Run geoipupdate again to get the current one.",
  INVALID_REQUEST: "Too many edition ids in one request.",
  NOT_AVAILABLE: "No build has been published yet, or the service is temporarily unavailable. Try again later.",
  RATE_LIMITED: "Too many requests with this key. Run geoipupdate less often.",
  DOWNLOADS_USED_UP:
    "Your organization has used all its downloads for today. Run geoipupdate again after midnight UTC, or ask your vendor for a higher limit.",
  BYTES_USED_UP:
    "The file is larger than your organization's remaining bytes for this month. Run geoipupdate again next month, or ask your vendor for a higher limit.",
  TOO_MANY_STREAMS:
    "Your organization is already downloading as many files as its limit allows. Lower Parallelism, or run geoipupdate again later.",
};

/** The body of an error for geoipupdate. */
export function geoipError(code: ErrorCode): GeoipError {
  return { rc: code, error: SENTENCES[code] ?? ERRORS[code].meaning };
}
