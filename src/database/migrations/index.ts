import { InitialSchema1795228786151 } from './1795228786151-initial-schema';
import { type MigrationInterface } from 'typeorm';

/** Every migration, oldest first. `npm run migration:generate` adds to this list. */
export const migrations: (new () => MigrationInterface)[] = [InitialSchema1795228786151];
