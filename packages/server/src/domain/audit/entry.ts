export type Action =
  | "organization.added"
  | "organization.renamed"
  | "organization.archived"
  | "organization.unarchived"
  | "organization.updated"
  | "organization.limits_changed"
  | "family.added"
  | "family.archived"
  | "family.unarchived"
  | "family.updated"
  | "version.added"
  | "version.archived"
  | "version.unarchived"
  | "version.updated"
  | "build.published"
  | "build.withdrawn"
  | "build.rolled_back"
  | "build.removed"
  | "signing_key.created"
  | "signing_key.rotated"
  | "freshness_key.created"
  | "freshness_key.rotated"
  | "licence.granted"
  | "licence.renewed"
  | "licence.updated"
  | "licence.ended"
  | "terms.added"
  // The subject is the organization.
  | "terms.accepted"
  // Written by earlier versions, with the organization as the subject.
  | "licence.requested"
  | "access_request.created"
  | "access_request.granted"
  | "access_request.declined"
  | "key.created"
  | "key.rotated"
  | "key.overlap_ended"
  | "key.revoked"
  | "key.updated"
  | "legacy_key.created"
  | "legacy_key.revoked"
  | "legacy_key.updated"
  | "customers.imported"
  | "job.retried"
  | "webhook.created"
  | "webhook.updated"
  | "webhook.rotated"
  | "webhook.disabled"
  | "webhook.deleted"
  // The subject is the organization.
  | "destinations.allowed"
  | "destinations.disallowed"
  | "destination.created"
  | "destination.updated"
  | "destination.verified"
  | "destination.paused"
  | "destination.deleted"
  // The subject is the id of the key that encrypts from now on.
  | "secrets.rotated"
  | "account.invited"
  | "account.invitation_refused"
  | "account.link_issued"
  | "account.link_accepted"
  | "account.identity_bound"
  | "account.updated"
  | "account.moved"
  | "account.deleted"
  | "account.password_changed"
  | "account.notices_changed"
  | "account.passkey_added"
  | "account.passkey_removed"
  | "account.recovery_codes_created"
  | "account.recovery_code_used"
  | "account.second_factor_reset"
  | "account.signed_in"
  | "account.signed_out"
  | "sign_in.approved"
  | "sign_in.denied"
  | "sign_in.ended"
  | "session.viewed_as"
  | "session.view_left"
  | "privacy.erased"
  // The subject is the directory.
  | "backup.created"
  | "copy.activated";

/** One change: who made it and when, and the state of the subject before and after. */
export interface AuditEntry {
  id: string;
  actor: string;
  action: Action;
  /** The id of the changed resource. */
  subject: string;
  before: unknown;
  after: unknown;
  created: Date;
}

/** The fields of states that say where a person was: in entries about sessions, and about programs that signed in. */
export const ADDRESS_FIELDS = ["address", "userAgent", "host"] as const;
