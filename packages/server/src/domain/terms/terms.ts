/** One version of a document that customers accept. It never changes. */
export interface Terms {
  /** The name and the version, like data-licence@2. */
  id: string;
  name: string;
  version: number;
  title: string;
  /** Plain text or Markdown. */
  text: string;
  sizeBytes: number;
  /** SHA-256 of the text in UTF-8, in hexadecimal digits. */
  sha256: string;
  created: Date;
}

export type TermsSummary = Omit<Terms, "text">;

/** An organization has accepted a version. It stays, whatever happens to the person's account. */
export interface Acceptance {
  id: string;
  organizationId: string;
  termsId: string;
  /** SHA-256 of the text that was accepted. */
  sha256: string;
  /** The person, with the name and e-mail address at that time. */
  accountId: string;
  name: string;
  email: string;
  address: string;
  created: Date;
}

export function termsId(name: string, version: number): string {
  return `${name}@${version}`;
}

/** "data-licence@2", or "data-licence" for the newest version. Undefined if it is neither. */
export function parseTermsId(text: string): { name: string; version: number | undefined } | undefined {
  const parts = /^([a-z0-9-]{1,100})(?:@([1-9]\d{0,8}))?$/.exec(text);
  return parts?.[1] ? { name: parts[1], version: parts[2] === undefined ? undefined : Number(parts[2]) } : undefined;
}

/** The ids of the terms that an organization has accepted. */
export type AcceptedTerms = ReadonlySet<string>;
