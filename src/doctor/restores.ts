import { type Environment } from '../config/environment';
import { type Finding, warning } from './finding';
import { findLeftRestores } from './repairs/restores.repair';

/** Checks for what killed restores have left beside a complete database. */
export async function* checkRestores(environment: Environment): AsyncGenerator<Finding> {
  for await (const { line } of findLeftRestores(environment)) {
    yield warning('restore', line, 'Run pms doctor --fix.');
  }
}
