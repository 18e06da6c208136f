const EXPLANATIONS: Record<string, string> = {
  EACCES: "permission denied. Change its permissions or run this as another user",
  EDQUOT: "the disk quota is used up. Free some space and try again",
  EISDIR: "this is a directory, not a file",
  EMFILE: "too many open files. Raise the limit (ulimit -n)",
  ENFILE: "the system has too many open files",
  ENOENT: "no such file or directory",
  ENOSPC: "the disk is full. Free some space and try again",
  ENOTDIR: "part of the path is not a directory",
  EPERM: "permission denied. Change its permissions or run this as another user",
  EROFS: "the file system is read-only. Choose another directory",
};

/** Says why a file operation failed and what to do. Undefined if the error is not about a file. */
export function explainFileError(error: unknown): string | undefined {
  const { code = "", path, syscall } = error as NodeJS.ErrnoException;
  const explanation = syscall === undefined ? undefined : EXPLANATIONS[code];
  return explanation && (path === undefined ? explanation : `${path}: ${explanation}`);
}
