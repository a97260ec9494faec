import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The version of the service. */
export const VERSION = readVersion();

/** Returns the version in the nearest package.json above this file, compiled or not. */
function readVersion(): string {
  for (let folder = __dirname; folder !== dirname(folder); folder = dirname(folder)) {
    try {
      const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version?: string };
      if (manifest.version) return manifest.version;
    } catch {
      // No package.json in this directory.
    }
  }
  return '0';
}
