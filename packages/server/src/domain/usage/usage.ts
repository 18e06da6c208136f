/** The downloads of an organization in a period. Samples are not counted, because they need no licence. */
export interface UsageTotals {
  /** Builds that the organization had never downloaded before in that format. */
  firstDownloads: number;
  /** All other granted downloads, including the parts of a resumed one. */
  repeats: number;
  refused: number;
  /** The size of the file or patch for a link, and the bytes sent for a stream. */
  bytes: number;
  /** Bytes by which the files are larger than the patches, compressed copies and changed rows that were sent instead. */
  savedBytes: number;
  /** Different keys on a day. For longer periods: the largest number on one day. */
  keys: number;
  /** Different client addresses on a day. For longer periods: the largest number on one day. */
  addresses: number;
}

/** One organization, day, database and format. Requests that named no database it can see have the database and format "". */
export interface DayTotals extends UsageTotals {
  organizationId: string;
  /** The day in UTC, such as 2027-01-31. */
  day: string;
  datasetId: string;
  format: string;
}

/** The day on which an organization first downloaded a build. */
export interface FirstDownload {
  organizationId: string;
  datasetId: string;
  format: string;
  buildId: string;
  day: string;
}
