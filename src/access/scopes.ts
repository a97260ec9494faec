import { type CountedAs, countedAs } from '../limits/rate-class';
import { RoleType } from './role-type';

/** The area of operations with a tag of the OpenAPI document. */
const AREA_BY_TAG = {
  Activities: 'activities',
  Attachments: 'files',
  'Disk usage': 'space',
  Documents: 'documents',
  'Git repositories': 'git',
  Invitations: 'users',
  Issues: 'issues',
  Notifications: 'notifications',
  'Project settings': 'projects',
  Projects: 'projects',
  'Pull requests': 'git',
  'Recently viewed': 'activities',
  'Shared files': 'files',
  Space: 'space',
  Stars: 'activities',
  Teams: 'users',
  Users: 'users',
  Watchings: 'issues',
  'Webhook deliveries': 'webhooks',
  Webhooks: 'webhooks',
  Wikis: 'wikis',
} as const;

/** A part of the API. */
export type Area = (typeof AREA_BY_TAG)[keyof typeof AREA_BY_TAG];
type Effect = 'read' | 'write';

/** What a key may do: an effect in one area or in all, or what only Administrators of the space may do. */
export type Scope = Effect | `${Effect}:${Area}` | 'admin';

const AREAS = [...new Set(Object.values(AREA_BY_TAG))].sort();

/** Every scope of a key (`docs/decisions/0059-limits-of-keys.md`). */
export const SCOPES: readonly Scope[] = [
  'read',
  'write',
  'admin',
  ...AREAS.flatMap((area): Scope[] => [`read:${area}`, `write:${area}`]),
];

/** The property of the OpenAPI document with the scopes that an operation needs. */
export const SCOPES_EXTENSION = 'x-scopes';

/** What an access rule states where the scopes of its operation cannot be derived. */
export interface ScopeExceptions {
  /** The area, for a controller whose tag does not determine it. */
  area?: Area;
  /** For a read that needs a scope to write, because it returns a secret. */
  effect?: 'write';
  /** Further scopes, for an operation that reaches beyond its area. */
  furtherScopes?: readonly Scope[];
  /** Needs no scope. */
  needsNoScope?: true;
}

/** The parts of an access rule that determine its scopes. */
export interface ScopeTraits extends ScopeExceptions {
  /** Whether only Administrators of the space may call the operation. */
  isAdministration: boolean;
}

/** The columns of an access rule from which its traits follow. */
interface ScopedRule extends ScopeExceptions {
  roles: readonly RoleType[];
  orOwner?: unknown;
  orProjectAdministrator?: unknown;
}

export const scopeTraits = ({
  roles,
  orOwner,
  orProjectAdministrator,
  area,
  effect,
  furtherScopes,
  needsNoScope,
}: ScopedRule): ScopeTraits => ({
  area,
  effect,
  furtherScopes,
  needsNoScope,
  isAdministration:
    !orOwner && !orProjectAdministrator && roles.every((role) => role === RoleType.Administrator),
});

/** An operation whose scopes are derived. */
export interface ScopedOperation {
  traits: ScopeTraits;
  /** The tags of its controller. */
  tags: readonly string[];
  method: string;
  /** Its class for rate limits, if its method does not determine it. */
  counted?: CountedAs;
}

/**
 * Returns the scopes that a key needs for an operation, derived from its tag, its effect and its access rule.
 * @throws Error if its area is unknown
 */
export function scopesOf({ traits, tags, method, counted }: ScopedOperation): Scope[] {
  if (traits.needsNoScope) return [];
  const area = traits.area ?? AREA_BY_TAG[(tags[0] ?? '') as keyof typeof AREA_BY_TAG];
  // oxlint-disable-next-line typescript/no-unnecessary-condition -- the tag of a new controller may be missing
  if (area === undefined) throw new Error(`No area for the tag ${tags[0]}: add it to src/access/scopes.ts`);
  const scope: Scope = `${traits.effect ?? effectOf(method, counted)}:${area}`;
  return [scope, ...(traits.furtherScopes ?? []), ...(traits.isAdministration ? (['admin'] as const) : [])];
}

/** Returns the needed scopes that a key lacks. `write` includes `read`, and a scope without an area includes those of all areas. */
export const missingScopes = (granted: ReadonlySet<Scope>, needed: readonly Scope[]): Scope[] =>
  needed.filter((scope) => !scopesIncluding(scope).some((other) => granted.has(other)));

/** Whether a key with these scopes has the rights of an Administrator, if its user is one. */
export const mayAdminister = (granted: readonly Scope[]): boolean => granted.includes('admin');

function scopesIncluding(scope: Scope): Scope[] {
  if (scope === 'admin') return [scope];
  const [effect, area] = scope.split(':') as [Effect, Area | undefined];
  const effects: Effect[] = effect === 'read' ? ['read', 'write'] : ['write'];
  return effects.flatMap((one): Scope[] => (area === undefined ? [one] : [one, `${one}:${area}`]));
}

function effectOf(method: string, counted: CountedAs | undefined): Effect {
  const rateClass = countedAs(method, counted);
  if (rateClass === 'read' || rateClass === 'search') return 'read';
  return rateClass !== 'update' && countedAs(method, undefined) === 'read' ? 'read' : 'write';
}
