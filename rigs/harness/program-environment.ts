const NEEDED = ["PATH", "HOME", "TMPDIR", "NODE_COMPILE_CACHE"];

/**
 * The environment variables that programs started by tests inherit. Others, such as DBDEPOT_*, AWS_* and HTTP_PROXY,
 * must not influence the tests.
 */
export function programEnvironment(): Record<string, string> {
  return Object.fromEntries(NEEDED.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])));
}
