import { type SeedDatabase } from '../support/seed-database';
import { type List } from './list';
import { type Frame } from './seeding/frame';

/** Values by the names that the lists' paths and queries have in braces. */
export type Parameters = Readonly<Record<string, string | number>>;

/** A kind of resource with its lists. */
export interface SeededResource {
  /** Fills its tables. */
  seed: (database: SeedDatabase, frame: Frame) => Promise<void>;
  parameters: Parameters;
  lists: readonly List[];
}
