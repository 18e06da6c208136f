import { ApiError, errorFrom } from "./api-error.ts";

/** One page of a list, and the URL of the next one from the `Link` header. */
interface Page<T> {
  body: T;
  next: string | undefined;
  /** How many items all pages have. Only the first page says it. */
  total: number | undefined;
}

/** The same for lists of one kind of item. */
export interface ItemPage<T> {
  items: T[];
  next: string | undefined;
  total?: number | undefined;
}

/** Query parameters. Undefined ones are not sent. */
export type Filter<Query> = { [Name in keyof Query]?: Query[Name] | undefined };

/** A list that the server searches, sorts and pages. */
export interface ListSource<T, Query> {
  /** URL of the first page. */
  url: (filter: Filter<Query>) => string;
  load: (url: string) => Promise<ItemPage<T>>;
}

export const CSV = "text/csv";

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

/** The list at the path. Its items are in the field `name` of the response. */
export function list<T, Query>(path: string, name: string): ListSource<T, Query> {
  return { url: (filter) => `${path}?${query(filter)}`, load: (url) => getItems<T>(url, name) };
}

export async function get<T>(url: string): Promise<T> {
  return (await request("GET", url)).json();
}

export async function getPage<T>(url: string): Promise<Page<T>> {
  const response = await request("GET", url);
  const total = response.headers.get("x-total-count");
  const next = nextPage(response.headers.get("link"));
  return { body: await response.json(), next, total: total === null ? undefined : Number(total) };
}

export async function getItems<T>(url: string, name: string): Promise<ItemPage<T>> {
  const { body, next, total } = await getPage<Record<string, T[]>>(url);
  return { items: body[name] ?? [], next, total };
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
  if (response.ok) return response;
  const error = await errorFrom(response);
  if (error.rc === "UNAUTHORIZED" && (await restoreSession())) return request(method, url, body);
  throw error;
}

let restoreSession = async () => false;

/** Sets what finds out whether a request that was refused should be sent again. */
export function onUnauthorized(restore: () => Promise<boolean>): void {
  restoreSession = restore;
}

/** Parameters that are undefined or empty are not sent. */
export function query(parameters: object): URLSearchParams {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined && value !== "");
  return new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
}

/** RFC 8288, as far as the server uses it: `<url>; rel="next"`. */
function nextPage(link: string | null): string | undefined {
  return /<([^>]+)>; rel="next"/.exec(link ?? "")?.[1];
}
