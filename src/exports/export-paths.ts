import { createHash } from 'node:crypto';
import { type RecordSpool } from '../archives/data/record-spool';
import { foldedName, MAX_NAME_BYTES, safeName, splitName } from './safe-name';

/** The longest path of a folder that gets further folders, in bytes: what is nested further is beside each other in it. */
const MAX_FOLDER_BYTES = 160;
const NAMES = 'export name';
const FOLDERS = 'export folder';

/**
 * Gives files and folders of an export their paths, relative to it and with slashes. No two differ only in case. The same data gets the same
 * paths.
 */
export class ExportPaths {
  /** @param spool notes the names that are taken */
  constructor(private readonly spool: RecordSpool) {}

  /**
   * Returns the path of a new file.
   * @param folder the path of its folder; `''` for the top
   * @param id tells it from others with the same name
   * @param extension is added to the name, and a usual one of the name itself stays
   */
  file(folder: string, name: string, id: number | string, extension = ''): string {
    const maxBytes = MAX_NAME_BYTES - Buffer.byteLength(extension);
    const safe = safeName(name, maxBytes);
    const path = this.take(folder, safe + extension);
    if (path !== undefined) return path;
    const { stem, extension: own } = splitName(safe);
    for (let attempt = 1; ; attempt++) {
      const suffix = `-${id}${attempt === 1 ? '' : `-${attempt}`}${own}`;
      const numbered = safeName(stem, maxBytes - Buffer.byteLength(suffix)) + suffix + extension;
      const free = this.take(folder, numbered);
      if (free !== undefined) return free;
    }
  }

  /**
   * Returns the path of a folder, which is the same for the same key.
   * @param parent the path of the folder that it is in
   * @param key tells it from all others of the export
   */
  folder(parent: string, name: string, key: string): string {
    const known = this.spool.find(FOLDERS, [key]);
    if (known) return known.path as string;
    const path =
      Buffer.byteLength(parent) > MAX_FOLDER_BYTES ? parent : this.file(parent, name, shortDigest(key));
    this.spool.add(FOLDERS, [key], { path });
    return path;
  }

  private take(folder: string, name: string): string | undefined {
    const path = folder === '' ? name : `${folder}/${name}`;
    return this.spool.add(NAMES, [foldedName(path)], {}) ? path : undefined;
  }
}

const shortDigest = (key: string): string => createHash('sha256').update(key).digest('hex').slice(0, 8);
