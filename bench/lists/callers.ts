import { ADMIN_KEY } from '../support/processes';

/** The callers of the lists: a caller's access rights determine how a list is read. */
export const CALLERS = {
  administrator: { label: 'Administrator', key: ADMIN_KEY },
  memberOfOne: { label: 'member of 1', key: 'benchmark-key-of-a-member-of-one-project-0123456789' },
  memberOfTen: { label: 'member of 10', key: 'benchmark-key-of-a-member-of-ten-projects-0123456789' },
} as const;

export type CallerName = keyof typeof CALLERS;
