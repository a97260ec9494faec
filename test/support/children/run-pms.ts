import { createRequire } from 'node:module';
import { serviceFile } from '../service-file';

/** Runs the program `pms` with the given settings and arguments, as its executable does. */
function runPms(settings: string, words: string[]): void {
  Object.assign(process.env, JSON.parse(settings));
  process.argv.splice(2, process.argv.length, ...words);
  createRequire(__filename)(serviceFile('cli/main'));
}

runPms(process.argv[2] as string, process.argv.slice(3));
