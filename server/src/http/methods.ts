import { ROUTES } from "./routes.ts";

const PATTERNS = ROUTES.map(({ method, url }) => ({
  methods: method === "GET" ? ["GET", "HEAD"] : [method],
  pattern: new RegExp(`^${url.replace(/:[a-z]+/g, "[^/]+")}$`),
}));

/** The methods that this address takes; none when there is nothing. */
export function allowedMethods(url: string): string[] {
  const [path = ""] = url.split("?");
  return PATTERNS.filter(({ pattern }) => pattern.test(path)).flatMap(({ methods }) => methods);
}
