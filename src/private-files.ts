/** The permissions that no new file or folder has: those of the group and of others. */
const PRIVATE_UMASK = 0o077;

/**
 * Makes all files and folders that this process and its children create accessible only to their owner, whatever the umask of its starter:
 * they contain issues, files, keys and repositories. For whole processes only, because the umask is that of the process.
 */
export function keepFilesPrivate(): void {
  process.umask(PRIVATE_UMASK);
}
