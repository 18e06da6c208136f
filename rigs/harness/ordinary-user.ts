/** Any user that is not root; usually "nobody". */
const UID = 65_534;

/**
 * Runs `work` without root's right to ignore file permissions. Tests run as root in containers and as an ordinary user
 * elsewhere. It changes the effective user of this process, whose modules are loaded already, because another user may not
 * be able to read the repository.
 */
export async function asOrdinaryUser<T>(work: () => Promise<T>): Promise<T> {
  if (process.geteuid?.() !== 0) return work();
  process.seteuid?.(UID);
  try {
    return await work();
  } finally {
    process.seteuid?.(0);
  }
}
