/** Returns advice for a file system error, or undefined if none applies. */
export function diskAdvice(code: string | null | undefined): string | undefined {
  if (code === "ENOSPC" || code === "EDQUOT") return "free some space, or choose another directory";
  if (code === "EACCES" || code === "EPERM") {
    const user = process.getuid ? ` (uid ${process.getuid()})` : "";
    return `make the directory writable for the user who runs this${user}, or choose another directory`;
  }
  return code === "EROFS" ? "choose another directory" : undefined;
}
