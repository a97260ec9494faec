import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const { version, folder: packageFolder } = findPackage();

/** The version of the service. */
export const VERSION = version;

/** The folder of package.json, and of the files beside it. */
export const PACKAGE_FOLDER = packageFolder;

/** Finds the nearest package.json with a version above this file, compiled or not. */
function findPackage(): { version: string; folder: string } {
  for (let folder = __dirname; folder !== dirname(folder); folder = dirname(folder)) {
    try {
      const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version?: string };
      if (manifest.version) return { version: manifest.version, folder };
    } catch {
      // No package.json in this directory.
    }
  }
  return { version: '0', folder: __dirname };
}
