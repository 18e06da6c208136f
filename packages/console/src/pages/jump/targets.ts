import type { Role } from "@dbdepot/contract/console/accounts";
import type { ApiKeyList } from "@dbdepot/contract/iam/keys";
import type { KeyList } from "@dbdepot/contract/operator/keys";
import type { OrganizationList } from "@dbdepot/contract/operator/organizations";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { get } from "../../app/api.ts";
import { navigationFor } from "../../app/navigation.ts";
import { isManagerRole, isOperatorRole, useAccount } from "../../app/session.ts";
import { catalogueQuery } from "../catalogue/api.ts";
import { databasesQuery } from "../databases/api.ts";
import { grantTo, publicationOf, rotationOf, useActions } from "./actions.ts";
import type { JumpTarget } from "./target.ts";

const MOST_OF_A_KIND = 5;
const REQUEST_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** A whole key. Its secret stays in the browser. */
const KEY = /^(dbd_[^_]+)_.*$/;

/** Words that people type before the object of an action. No organization or key contains them. */
const VERBS = /^(rotate|grant( an?)?( licence)?( to)?|publish( an?)?( build)?( of)?)\s+/i;

/** Everything that the person may open or do and that contains the words of the text. Without a text, all pages. */
export function useJumpTargets(text: string): { targets: JumpTarget[]; isLoading: boolean } {
  const { role } = useAccount();
  const words = text.trim().replace(KEY, "$1");
  const [search] = useDebouncedValue(words.replace(VERBS, ""), 150);
  const actions = useActions();
  const pages = [...navigationFor(role), { to: "/account", label: "Your account" } as const].map(
    ({ to, label }): JumpTarget => ({ id: to, kind: "Page", title: label, link: { to } }),
  );
  const databases = useDatabases();
  const found = useQuery({
    queryKey: ["jump", search],
    queryFn: () => (isOperatorRole(role) ? findAsOperator(search) : findOwnKeys(search)),
    // Viewers may not see keys.
    enabled: role !== "viewer" && search !== "",
    placeholderData: keepPreviousData,
  });
  if (words === "") return { targets: [...pages, ...actions], isLoading: false };
  const foundTargets = found.data ?? [];
  const canPublish = role === "operator";
  return {
    targets: [
      ...first(pages, words),
      ...first(foundTargets, words),
      ...first(databases, words),
      ...first(actions, words),
      ...first(canPublish ? databases.map(publicationOf) : [], words),
      ...first(actionsOn(foundTargets, role), words),
      ...(REQUEST_ID.test(words) ? [requestTarget(words.toLowerCase())] : []),
    ],
    isLoading: search !== words.replace(VERBS, "") || found.isFetching,
  };
}

/** Offers to change keys and licences at once to those who may. */
function actionsOn(targets: readonly JumpTarget[], role: Role): JumpTarget[] {
  if (!isManagerRole(role)) return [];
  return targets.map((target) => (target.kind === "Organization" ? grantTo(target) : rotationOf(target)));
}

/** Operators open databases in the catalogue. */
function useDatabases(): JumpTarget[] {
  const isOperator = isOperatorRole(useAccount().role);
  const catalogue = useQuery({ ...catalogueQuery, enabled: isOperator });
  const databases = useQuery({ ...databasesQuery, enabled: !isOperator });
  const families = catalogue.data?.map(({ family }) => family) ?? databases.data?.databases ?? [];
  return families.map(({ base, name }) => ({
    id: base,
    kind: "Database",
    title: name,
    detail: base,
    link: { to: isOperator ? "/catalogue/$base" : "/databases/$base", params: { base } },
  }));
}

/** Keys are listed on the page of their organization. Those of operators have no page. */
async function findAsOperator(search: string): Promise<JumpTarget[]> {
  const [{ organizations }, { keys }] = await Promise.all([
    find<OrganizationList>("/api/operator/organizations", search),
    find<KeyList>("/api/operator/keys", search),
  ]);
  const organizationTargets = organizations.map(({ id, name }): JumpTarget => {
    const link = { to: "/organizations/$id", params: { id } } as const;
    return { id, kind: "Organization", title: name, words: id, link };
  });
  const keyTargets = keys.flatMap(({ id, name, key_prefix, organization_id: organization }): JumpTarget[] => {
    if (organization === null) return [];
    const link = { to: "/organizations/$id", params: { id: organization }, search: { tab: "keys" } } as const;
    return [{ id, kind: "API key", title: name, detail: key_prefix, words: id, link }];
  });
  return [...organizationTargets, ...keyTargets];
}

async function findOwnKeys(search: string): Promise<JumpTarget[]> {
  const { keys } = await find<ApiKeyList>("/api/v1/iam/apikeys", search);
  const targets = keys.map(({ id, name, key_prefix }): JumpTarget => {
    return { id, kind: "API key", title: name, detail: key_prefix, words: id, link: { to: "/keys" } };
  });
  return targets;
}

/** The first page of the matching items of a list. */
function find<T>(list: string, search: string): Promise<T> {
  return get<T>(`${list}?${new URLSearchParams({ search })}`);
}

/** The history knows what became of a request, and leads to the explanation of a refusal. */
function requestTarget(request: string): JumpTarget {
  return { id: request, kind: "Request", title: request, link: { to: "/history", search: { request } } };
}

function first(targets: readonly JumpTarget[], words: string): JumpTarget[] {
  return targets.filter((target) => containsWords(target, words)).slice(0, MOST_OF_A_KIND);
}

function containsWords({ title, detail, words }: JumpTarget, wanted: string): boolean {
  const text = [title, detail, words].join(" ").toLowerCase();
  return wanted
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
