import { type Repair } from './repair';

/** Every repair, in the order in which they run: one may leave work to a later one. */
export const REPAIRS: readonly Repair[] = [];
