import type {
  AccountsQuery,
  ConsoleAccount,
  InviteRequest,
  UpdateAccountRequest,
} from "@dbdepot/contract/console/accounts";
import type { BuildHistory, CurrentBuilds, LookupResult } from "@dbdepot/contract/console/databases";
import type { ConsoleDownload, ConsoleDownloadsQuery, Usage, UsageQuery } from "@dbdepot/contract/console/history";
import type { AccessRequest, AccessRequested, OwnLicences, OwnRequests } from "@dbdepot/contract/console/licences";
import type { AcceptLinkRequest, Invitation, IssuedLink, LinkDetails } from "@dbdepot/contract/console/links";
import type { ChangeNoticesRequest, NoticeChoices } from "@dbdepot/contract/console/notices";
import type { Overview } from "@dbdepot/contract/console/overview";
import type {
  AccountSecurity,
  AddedPasskey,
  AddPasskeyRequest,
  NewRecoveryCodes,
  PasskeyCreation,
  RemovePasskeyRequest,
  SecondFactorAnswer,
} from "@dbdepot/contract/console/security";
import type {
  ChangePasswordRequest,
  SessionAccount,
  SessionList,
  SessionState,
  SignInRequest,
} from "@dbdepot/contract/console/sessions";
import type { EffectiveSettings } from "@dbdepot/contract/console/settings";
import type {
  ApproveProgramRequest,
  ProgramDecided,
  ProgramQuestion,
  ProgramRequest,
} from "@dbdepot/contract/console/sign-ins";
import type { AcceptTermsRequest, OwnTerms, OwnTermsList, OwnTermsText } from "@dbdepot/contract/console/terms";
import type {
  ApiKeysQuery,
  ChangedKey,
  CreatedKey,
  CreateKeyRequest,
  ListedApiKey,
  RotateKeyRequest,
  UpdateKeyRequest,
} from "@dbdepot/contract/iam/keys";
import type { AuditEntry, AuditQuery } from "@dbdepot/contract/operator/audit";
import type { BuildList, OperatorBuild, RollBackRequest, WithdrawRequest } from "@dbdepot/contract/operator/builds";
import type {
  AddFamilyRequest,
  AddVersionRequest,
  FamilyList,
  OperatorFamily,
  OperatorVersion,
  UpdateFamilyRequest,
  UpdateVersionRequest,
  VersionList,
} from "@dbdepot/contract/operator/catalogue";
import type { CustomersImport, ExportQuery } from "@dbdepot/contract/operator/customers";
import type { HistoryQuery, OperatorAttempt } from "@dbdepot/contract/operator/history";
import type {
  KeysQuery,
  ListedKey,
  OperatorCreateKeyRequest,
  OperatorKey,
  OperatorRotateKeyRequest,
  OperatorUpdateKeyRequest,
} from "@dbdepot/contract/operator/keys";
import type { LegacyKeysQuery, OperatorLegacyKey } from "@dbdepot/contract/operator/legacy-keys";
import type {
  GrantLicenceRequest,
  LicencesQuery,
  OperatorLicence,
  RenewLicenceRequest,
} from "@dbdepot/contract/operator/licences";
import type {
  AddOrganizationRequest,
  ListedOrganization,
  OperatorOrganization,
  OrganizationsQuery,
  UpdateOrganizationRequest,
} from "@dbdepot/contract/operator/organizations";
import type { ErasedPerson, EraseRequest, ErasurePlan } from "@dbdepot/contract/operator/privacy";
import type {
  DecidedRequest,
  DeclineRequestRequest,
  GrantRequestRequest,
  OperatorRequest,
  RequestsQuery,
} from "@dbdepot/contract/operator/requests";
import type { RetentionPreviews } from "@dbdepot/contract/operator/retention";
import type {
  Acceptance,
  AcceptancesQuery,
  AddedTerms,
  AddTermsRequest,
  OperatorTerms,
  OperatorTermsText,
  TermsQuery,
} from "@dbdepot/contract/operator/terms";
import type { OperatorUsageLine, OperatorUsageQuery } from "@dbdepot/contract/operator/usage";
import type { OperatorCreateWebhookRequest, OperatorWebhook, WebhooksQuery } from "@dbdepot/contract/operator/webhooks";
import type { Explanation, WhyQuery } from "@dbdepot/contract/operator/why";
import type { FileKind, Format } from "@dbdepot/contract/shared/formats";
import type { DatabaseList } from "@dbdepot/contract/v2/catalogue";
import type { DatabaseChanges } from "@dbdepot/contract/v2/changes";
import type { DatabaseChecksums } from "@dbdepot/contract/v2/checksums";
import type { LimitList } from "@dbdepot/contract/v2/limits";
import type { SigningKeys } from "@dbdepot/contract/v2/manifests";
import type { DatabaseMetadata } from "@dbdepot/contract/v2/metadata";
import type { UsageLine, UsageReport } from "@dbdepot/contract/v2/usage";
import type {
  CreateWebhookRequest,
  Delivery,
  DeliveryDetails,
  IssuedWebhook,
  UpdateWebhookRequest,
  Webhook,
  WebhookList,
} from "@dbdepot/contract/v2/webhooks";
import { ApiError, errorFrom } from "./api-error.ts";

/** One page of a list, and the URL of the next one from the `Link` header. */
export interface Page<T> {
  body: T;
  next: string | undefined;
}

/** The same for lists of one kind of item. */
export interface ItemPage<T> {
  items: T[];
  next: string | undefined;
}

/** Query parameters. Undefined ones are not sent. */
export type Filter<Query> = { [Name in keyof Query]?: Query[Name] | undefined };

/** A list that the server searches, sorts and pages. */
export interface ListSource<T, Query> {
  /** URL of the first page. */
  url: (filter: Filter<Query>) => string;
  load: (url: string) => Promise<ItemPage<T>>;
}

const CSV = "text/csv";

/** Every endpoint that the console calls, except those to publish a build. */
export const api = {
  session: () => get<SessionState>("/api/console/session"),
  signIn: (body: SignInRequest) => send<SessionState>("POST", "/api/console/session", body),
  secondFactor: (body: SecondFactorAnswer) => send<SessionState>("POST", "/api/console/session/second-factor", body),
  viewAs: (organization: string) => send<SessionState>("POST", "/api/console/view", { organization }),
  leaveView: () => send<SessionState>("DELETE", "/api/console/view"),
  signOut: () => send("DELETE", "/api/console/session"),
  sessions: () => get<SessionList>("/api/console/sessions"),
  endSession: (id: string) => send("DELETE", `/api/console/sessions/${id}`),
  inspectLink: (token: string) => send<LinkDetails>("POST", "/api/console/links/inspect", { token }),
  acceptLink: (body: AcceptLinkRequest) => send<SessionState>("POST", "/api/console/links/accept", body),
  requestReset: (email: string) => send("POST", "/api/console/password-resets", { email }),
  changePassword: (body: ChangePasswordRequest) => send("PUT", "/api/console/password", body),
  inspectProgram: (body: ProgramQuestion) => send<ProgramRequest>("POST", "/api/console/sign-ins/inspect", body),
  approveProgram: (body: ApproveProgramRequest) => send<ProgramDecided>("POST", "/api/console/sign-ins/approve", body),
  denyProgram: (body: ProgramQuestion) => send<ProgramDecided>("POST", "/api/console/sign-ins/deny", body),

  renameSelf: (name: string) => send<SessionAccount>("PATCH", "/api/console/account", { name }),
  ownDataUrl: "/api/console/account/data",
  notices: () => get<NoticeChoices>("/api/console/notices"),
  changeNotices: (body: ChangeNoticesRequest) => send<NoticeChoices>("PATCH", "/api/console/notices", body),
  security: () => get<AccountSecurity>("/api/console/security"),
  passkeyOptions: () => send<PasskeyCreation>("POST", "/api/console/passkeys/options"),
  addPasskey: (body: AddPasskeyRequest) => send<AddedPasskey>("POST", "/api/console/passkeys", body),
  removePasskey: (id: string, body: RemovePasskeyRequest) => send("POST", `/api/console/passkeys/${id}/remove`, body),
  renewRecoveryCodes: () => send<NewRecoveryCodes>("POST", "/api/console/recovery-codes"),
  resetTwoFactor: (id: string) => send("DELETE", `/api/console/accounts/${id}/second-factor`),

  accounts: list<ConsoleAccount, AccountsQuery>("/api/console/accounts", "accounts"),
  invite: (body: InviteRequest) => send<Invitation>("POST", "/api/console/accounts", body),
  updateAccount: (id: string, body: UpdateAccountRequest) =>
    send<ConsoleAccount>("PATCH", `/api/console/accounts/${id}`, body),
  moveAccount: (id: string, organization: string) =>
    send<ConsoleAccount>("POST", `/api/console/accounts/${id}/move`, { organization }),
  deleteAccount: (id: string) => send("DELETE", `/api/console/accounts/${id}`),
  issueLink: (id: string) => send<IssuedLink>("POST", `/api/console/accounts/${id}/link`, {}),
  personalDataUrl: (id: string) => `/api/operator/people/${id}/data`,
  erasure: (id: string) => get<ErasurePlan>(`/api/operator/people/${id}/erasure`),
  erasePerson: (id: string, body: EraseRequest) => send<ErasedPerson>("POST", `/api/operator/people/${id}/erase`, body),

  downloadsUrl: (filter: Filter<ConsoleDownloadsQuery>) => `/api/console/downloads?${query(filter)}`,
  downloads: (url: string) => getItems<ConsoleDownload>(url, "downloads"),
  usage: (filter: Filter<UsageQuery>) => get<Usage>(`/api/console/usage?${query(filter)}`),

  ownUsage: usageList<UsageLine>("/api/v2/database/usage"),
  operatorUsage: usageList<OperatorUsageLine>("/api/operator/usage"),
  usageFacts: (url: string) => get<Omit<UsageReport, "usage">>(url),

  databases: () => get<DatabaseList>("/api/v2/database/list"),
  currentBuilds: () => get<CurrentBuilds>("/api/console/databases"),
  metadata: (id: string) => get<DatabaseMetadata>(`/api/console/databases/${id}/metadata`),
  checksums: (id: string, format: Format) =>
    get<DatabaseChecksums>(`/api/v2/database/checksum?${query({ id, format })}`),
  signingKeys: () => get<SigningKeys>("/.well-known/dbdepot-keys.json"),
  downloadUrl: (id: string, format: Format, build?: string) =>
    `/api/v2/database/download?${query({ id, format, build })}`,
  changes: (id: string, to: string) => get<DatabaseChanges>(`/api/v2/database/changes?${query({ id, to })}`),
  changedRowsUrl: (id: string, from: string | undefined, to: string) =>
    `/api/v2/database/changes?${query({ id, from, to, rows: 1 })}`,
  sampleUrl: (id: string, format: Format) => `/api/v2/database/download?${query({ id, format, sample: "true" })}`,

  clientDigest: async () => (await fetch("/download/dbdepot-client.tgz.sha256")).text(),

  organizations: list<ListedOrganization, OrganizationsQuery>("/api/operator/organizations", "organizations"),
  organization: (id: string) => get<OperatorOrganization>(`/api/operator/organizations/${id}`),
  addOrganization: (body: AddOrganizationRequest) =>
    send<OperatorOrganization>("POST", "/api/operator/organizations", body),
  updateOrganization: (id: string, body: UpdateOrganizationRequest) =>
    send<OperatorOrganization>("PATCH", `/api/operator/organizations/${id}`, body),
  organizationLimits: (id: string) => get<LimitList>(`/api/operator/organizations/${id}/limits`),
  limits: () => get<LimitList>("/api/v2/database/limits"),
  importCustomers: (file: File, isDryRun: boolean) =>
    send<CustomersImport>("POST", `/api/operator/customers/import?${query({ dry_run: isDryRun })}`, typedFile(file)),
  exportCustomersUrl: (filter: Filter<ExportQuery>) => `/api/operator/customers/export?${query(filter)}`,
  overview: () => get<Overview>("/api/console/overview"),
  settings: () => get<EffectiveSettings>("/api/console/settings"),
  retention: () => get<RetentionPreviews>("/api/operator/retention"),
  why: (question: WhyQuery) => get<Explanation>(`/api/operator/why?${query(question)}`),
  licences: list<OperatorLicence, LicencesQuery>("/api/operator/licences", "licences"),
  grantLicence: (body: GrantLicenceRequest) => send<OperatorLicence>("POST", "/api/operator/licences", body),
  renewLicence: (id: string, body: RenewLicenceRequest) =>
    send<OperatorLicence>("POST", `/api/operator/licences/${id}/renew`, body),
  endLicence: (id: string) => send<OperatorLicence>("POST", `/api/operator/licences/${id}/end`),
  terms: list<OperatorTerms, TermsQuery>("/api/operator/terms", "terms"),
  termsText: (id: string) => get<OperatorTermsText>(`/api/operator/terms/${encodeURIComponent(id)}`),
  addTerms: (body: AddTermsRequest) => send<AddedTerms>("POST", "/api/operator/terms", body),
  acceptances: list<Acceptance, AcceptancesQuery>("/api/operator/acceptances", "acceptances"),
  requestsUrl: (filter: Filter<RequestsQuery>) => `/api/operator/requests?${query(filter)}`,
  requests: (url: string) => getItems<OperatorRequest>(url, "requests"),
  request: (id: string) => get<OperatorRequest>(`/api/operator/requests/${id}`),
  grantRequest: (id: string, body: GrantRequestRequest) =>
    send<DecidedRequest>("POST", `/api/operator/requests/${id}/grant`, body),
  declineRequest: (id: string, body: DeclineRequestRequest) =>
    send<DecidedRequest>("POST", `/api/operator/requests/${id}/decline`, body),
  attemptsUrl: (filter: Filter<HistoryQuery>) => `/api/operator/history?${query(filter)}`,
  attempts: (url: string) => getItems<OperatorAttempt>(url, "attempts"),
  auditUrl: (filter: Filter<AuditQuery>) => `/api/operator/audit?${query(filter)}`,
  auditEntries: (url: string) => getItems<AuditEntry>(url, "entries"),
  legacyKeys: list<OperatorLegacyKey, LegacyKeysQuery>("/api/operator/legacy-keys", "legacy_keys"),
  revokeLegacyKey: (id: string) => send<OperatorLegacyKey>("POST", `/api/operator/legacy-keys/${id}/revoke`),
  operatorKeys: list<ListedKey, KeysQuery>("/api/operator/keys", "keys"),
  createOperatorKey: (body: OperatorCreateKeyRequest) => send<CreatedKey>("POST", "/api/operator/keys", body),
  updateOperatorKey: (id: string, body: OperatorUpdateKeyRequest) =>
    send<OperatorKey>("PATCH", `/api/operator/keys/${id}`, body),
  rotateOperatorKey: (id: string, body: OperatorRotateKeyRequest) =>
    send<CreatedKey>("POST", `/api/operator/keys/${id}/rotate`, body),
  endOperatorKeyOverlap: (id: string) => send<OperatorKey>("POST", `/api/operator/keys/${id}/end-overlap`),
  revokeOperatorKey: (id: string) => send<OperatorKey>("POST", `/api/operator/keys/${id}/revoke`),
  ownBuilds: (id: string) => get<BuildHistory>(`/api/console/databases/${id}`),
  lookup: (id: string, address: string) =>
    get<LookupResult>(`/api/console/databases/${id}/lookup?${query({ address })}`),
  ownLicences: () => get<OwnLicences>("/api/console/licences"),
  ownTerms: () => get<OwnTermsList>("/api/console/terms"),
  ownTermsText: (id: string) => get<OwnTermsText>(`/api/console/terms/${encodeURIComponent(id)}`),
  acceptTerms: (id: string, body: AcceptTermsRequest) =>
    send<OwnTerms>("POST", `/api/console/terms/${encodeURIComponent(id)}/accept`, body),
  ownRequests: () => get<OwnRequests>("/api/console/access-requests"),
  requestAccess: (body: AccessRequest) => send<AccessRequested>("POST", "/api/console/access-requests", body),

  keys: list<ListedApiKey, ApiKeysQuery>("/api/v1/iam/apikeys", "keys"),
  createKey: (body: CreateKeyRequest) => send<CreatedKey>("POST", "/api/v1/iam/apikeys", body),
  updateKey: (id: string, body: UpdateKeyRequest) => send<ChangedKey>("PATCH", `/api/v1/iam/apikeys/${id}`, body),
  rotateKey: (id: string, body: RotateKeyRequest) => send<CreatedKey>("POST", `/api/v1/iam/apikeys/${id}/rotate`, body),
  endKeyOverlap: (id: string) => send<ChangedKey>("POST", `/api/v1/iam/apikeys/${id}/end-overlap`, {}),
  revokeKey: (id: string) => send<ChangedKey>("POST", `/api/v1/iam/apikeys/${id}/revoke`, {}),

  webhooks: () => get<WebhookList>("/api/v2/webhooks"),
  createWebhook: (body: CreateWebhookRequest) => send<IssuedWebhook>("POST", "/api/v2/webhooks", body),
  operatorWebhooks: list<OperatorWebhook, WebhooksQuery>("/api/operator/webhooks", "webhooks"),
  createOperatorWebhook: (body: OperatorCreateWebhookRequest) =>
    send<IssuedWebhook>("POST", "/api/operator/webhooks", body),
  // Customers and operators have the same endpoints for a single webhook, under different URLs.
  updateWebhook: (url: string, body: UpdateWebhookRequest) => send<Webhook>("PATCH", url, body),
  deleteWebhook: (url: string) => send("DELETE", url),
  rotateWebhook: (url: string) => send<IssuedWebhook>("POST", `${url}/rotate`),
  testWebhook: (url: string) => send<Delivery>("POST", `${url}/test`),
  webhook: (url: string) => get<Webhook>(url),
  delivery: (url: string, deliveryId: string) => get<DeliveryDetails>(`${url}/deliveries/${deliveryId}`),
  deliveries: (url: string) => getItems<Delivery>(url, "deliveries"),
  redeliver: (url: string, deliveryId: string) => send<Delivery>("POST", `${url}/deliveries/${deliveryId}/redeliver`),

  families: () => get<FamilyList>("/api/operator/families"),
  addFamily: (body: AddFamilyRequest) => send<OperatorFamily>("POST", "/api/operator/families", body),
  updateFamily: (base: string, body: UpdateFamilyRequest) =>
    send<OperatorFamily>("PATCH", `/api/operator/families/${base}`, body),
  versions: () => get<VersionList>("/api/operator/versions"),
  addVersion: (body: AddVersionRequest) => send<OperatorVersion>("POST", "/api/operator/versions", body),
  updateVersion: (id: string, body: UpdateVersionRequest) =>
    send<OperatorVersion>("PATCH", `/api/operator/versions/${id}`, body),
  builds: (version: string) => getPage<BuildList>(`/api/operator/builds?${query({ version })}`),
  rollBack: (version: string, body: RollBackRequest) =>
    send<OperatorBuild>("POST", `/api/operator/versions/${version}/rollback`, body),
  buildChanges: (id: string) => get<DatabaseChanges>(`/api/operator/builds/${id}/changes`),
  buildFileUrl: (id: string, kind: FileKind) => `/api/operator/builds/${id}/files/${kind}`,
  withdrawBuild: (id: string, body: WithdrawRequest) =>
    send<OperatorBuild>("POST", `/api/operator/builds/${id}/withdraw`, body),
  discardBuild: (id: string) => send<OperatorBuild>("POST", `/api/operator/builds/${id}/discard`),
};

/** Loads a list to its end. */
export async function allItems<T, Query>(source: ListSource<T, Query>, filter: Filter<Query>): Promise<T[]> {
  const items: T[] = [];
  let url: string | undefined = source.url(filter);
  do {
    const page: ItemPage<T> = await source.load(url);
    items.push(...page.items);
    url = page.next;
  } while (url);
  return items;
}

function list<T, Query>(path: string, name: string): ListSource<T, Query> {
  return { url: (filter) => `${path}?${query(filter)}`, load: (url) => getItems<T>(url, name) };
}

/** Lines of a report have no ids of their own. */
function usageList<T extends UsageLine & Partial<OperatorUsageLine>>(
  path: string,
): ListSource<T & { id: string }, OperatorUsageQuery> {
  const { url, load } = list<T, OperatorUsageQuery>(path, "usage");
  return {
    url,
    async load(url) {
      const { items, next } = await load(url);
      const idOf = (line: T) => [line.organization_id, line.period, line.dataset_id, line.format].join("/");
      return { items: items.map((line) => ({ ...line, id: idOf(line) })), next };
    },
  };
}

export async function get<T>(url: string): Promise<T> {
  return (await request("GET", url)).json();
}

async function getPage<T>(url: string): Promise<Page<T>> {
  const response = await request("GET", url);
  return { body: await response.json(), next: nextPage(response.headers.get("link")) };
}

async function getItems<T>(url: string, name: string): Promise<ItemPage<T>> {
  const { body, next } = await getPage<Record<string, T[]>>(url);
  return { items: body[name] ?? [], next };
}

export async function send<T = void>(method: string, url: string, body?: unknown): Promise<T> {
  const response = await request(method, url, body);
  const text = await response.text();
  return (text ? JSON.parse(text) : undefined) as T;
}

async function request(method: string, url: string, body?: unknown): Promise<Response> {
  const json = body !== undefined && {
    headers: { "content-type": body instanceof Blob && body.type === CSV ? CSV : "application/json" },
    // A document that is stored byte for byte is sent as it is.
    body: body instanceof Blob ? body : JSON.stringify(body),
  };
  const response = await fetch(url, { method, ...json }).catch(() => {
    throw new ApiError({ status: 0, rc: "UNREACHABLE" });
  });
  if (!response.ok) throw await errorFrom(response);
  return response;
}

/** Browsers disagree about the type of CSV files. */
function typedFile(file: File): Blob {
  return file.name.toLowerCase().endsWith(".json") ? file : new Blob([file], { type: CSV });
}

/** Parameters that are undefined or empty are not sent. */
function query(parameters: object): URLSearchParams {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined && value !== "");
  return new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
}

/** RFC 8288, as far as the server uses it: `<url>; rel="next"`. */
function nextPage(link: string | null): string | undefined {
  return /<([^>]+)>; rel="next"/.exec(link ?? "")?.[1];
}
