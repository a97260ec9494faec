import { RoleType } from '../../../src/access/role-type';
import { type ApiResponse } from '../api';
import { type TestedOperation } from './calls';
import { hasOwner } from './index';

/** How callers of the matrix of rights belong to a project. */
export const MEMBERSHIPS = ['none', 'member', 'project administrator'] as const;
export type Membership = (typeof MEMBERSHIPS)[number];

/** A caller's role, membership and ownership of a target. */
export interface Cell {
  role: RoleType;
  membership: Membership;
  isOwner: boolean;
}

/** Returns all callers of an operation with a role. */
export const cellsOf = (operation: TestedOperation, role: RoleType): Cell[] =>
  MEMBERSHIPS.flatMap((membership) =>
    (hasOwner(operation) ? [true, false] : [false]).map((isOwner) => ({ role, membership, isOwner })),
  );

/** Returns the name of a cell among those of a role. */
export const nameOf = (operation: TestedOperation, { membership, isOwner }: Cell): string =>
  hasOwner(operation) ? `${membership}, ${isOwner ? 'own' : "other's"}` : membership;

/** Returns the outcome of a request that the caller sends with a key without limits. */
export function expectedOutcome(operation: TestedOperation, cell: Cell): string {
  if (operation.scope === 'public') return String(operation.status);
  if (!isVisible(operation, cell)) return NOT_FOUND;
  return hasRight(operation, cell) ? String(operation.status) : FORBIDDEN;
}

const GUESTS: readonly RoleType[] = [RoleType.GuestReporter, RoleType.GuestViewer];

export const NOT_FOUND = '404 code 6';
export const FORBIDDEN = '403 code 5';

function isVisible({ scope }: TestedOperation, { role, membership, isOwner }: Cell): boolean {
  if (scope === 'project') return membership !== 'none' || role === RoleType.Administrator;
  if (scope === 'person') return membership !== 'none' || isOwner || !GUESTS.includes(role);
  return scope !== 'personal' || isOwner;
}

function hasRight({ right }: TestedOperation, { role, membership, isOwner }: Cell): boolean {
  const { roles, projectAdministrators, administratorOnly, ownerOnly, orOwner } = right;
  if (ownerOnly && !isOwner) return false;
  const administers = role === RoleType.Administrator || membership === 'project administrator';
  if (administratorOnly && !administers) return false;
  return (
    roles.includes(role) ||
    (projectAdministrators === true && membership === 'project administrator') ||
    (isOwner && (orOwner === true || orOwner?.includes(role) === true))
  );
}

/** Describes the outcome of a request, including anything that should not have happened. */
export function outcomeOf({ status, body }: ApiResponse, writes: string[]): string {
  if (status < 400) return String(status);
  const { errors } = body as { errors: { code: number; message: string; moreInfo: string }[] };
  const codes = `${status} code ${errors.map(({ code }) => code).join()}`;
  const reasons = errors.map(({ message, moreInfo }) => `${moreInfo}: ${message}`).join(' ');
  return [
    codes,
    ...([FORBIDDEN, NOT_FOUND].includes(codes) ? [] : [reasons]),
    ...writes.map((sql) => `wrote ${sql}`),
  ].join(', ');
}
