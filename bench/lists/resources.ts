import { type SeededResource } from './seeded-resource';
import { documents } from './seeding/documents';
import { sharedFiles } from './seeding/shared-files';
import { signIns } from './seeding/sign-ins';
import { wikis } from './seeding/wikis';

/** The resources whose files in `seeding/` also define their lists. */
export const RESOURCES: readonly SeededResource[] = [wikis, documents, sharedFiles, signIns];
