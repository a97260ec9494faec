/** Returns whether an error of the file system says that a path does not exist, or that a part of it is not a folder. */
export const isMissing = (error: unknown): boolean =>
  ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '');
