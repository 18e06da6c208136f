const NEEDED = ["PATH", "HOME", "TMPDIR", "NODE_COMPILE_CACHE"];

/**
 * The variables of ours that a program started by a test gets. The others, such as DBDEPOT_*, AWS_* and HTTP_PROXY, belong
 * to the person who runs the tests and must not change them.
 */
export function programEnvironment(): Record<string, string> {
  return Object.fromEntries(NEEDED.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])));
}
