import { type Caller } from '../access/caller';
import { missingScopes, type Scope } from '../access/scopes';
import { type Problem } from '../errors/domain-errors';
import { toTimestamp } from '../http/request/timestamp';
import { type ApiKey } from './entities/api-key.entity';

/** What limits a key. Absent limits do not limit it. */
export interface KeyLimits {
  scopes?: readonly Scope[];
  /** The only projects that it reaches. */
  projectIds?: readonly number[];
  /** In milliseconds since 1970. */
  expires?: number;
  /** The name of the agent that uses it: what it does is shown as done by the agent. */
  agent?: string;
}

/** The columns that store the limits of a key. */
export const LIMIT_COLUMNS = ['scopes', 'projectIds', 'expires', 'agent'] as const;

type StoredLimits = Pick<ApiKey, (typeof LIMIT_COLUMNS)[number]>;

export const toStoredLimits = ({ scopes, projectIds, expires, agent }: KeyLimits): StoredLimits => ({
  scopes: scopes?.join(' ') ?? null,
  projectIds: projectIds?.join(' ') ?? null,
  expires: expires ?? null,
  agent: agent ?? null,
});

export const fromStoredLimits = ({ scopes, projectIds, expires, agent }: StoredLimits): KeyLimits => ({
  scopes: scopes?.split(' ') as Scope[] | undefined,
  projectIds: projectIds?.split(' ').map(Number),
  expires: expires ?? undefined,
  agent: agent ?? undefined,
});

/** The part of a caller that limits the keys which they can add, see and revoke. */
export type LimitedCaller = Pick<Caller, 'scopes' | 'projectIds' | 'expires' | 'agent'>;

/** Returns how another key exceeds the key of a request; nothing if it is within its limits (`docs/decisions/0059-limits-of-keys.md`). */
export function problemsBeyond(caller: LimitedCaller, limits: KeyLimits): Problem[] {
  return [
    ...scopeProblems(caller, limits),
    ...projectProblems(caller, limits),
    ...expiryProblems(caller, limits),
    ...agentProblems(caller, limits),
  ];
}

function scopeProblems(caller: LimitedCaller, { scopes }: KeyLimits): Problem[] {
  if (!caller.scopes) return [];
  if (!scopes) return [requiredBecause('scopes', 'is limited by scopes')];
  const missing = missingScopes(caller.scopes, scopes);
  if (missing.length === 0) return [];
  return [
    problem('scopes', `must not include ${missing.join(', ')}, which the API key of this request lacks.`),
  ];
}

function projectProblems(caller: LimitedCaller, { projectIds }: KeyLimits): Problem[] {
  const reached = caller.projectIds;
  if (!reached) return [];
  if (!projectIds) return [requiredBecause('projectIds', 'is limited to projects')];
  const others = projectIds.filter((id) => !reached.has(id));
  if (others.length === 0) return [];
  const ids = others.join(', ');
  return [
    problem('projectIds', `must not include ${ids}, which the API key of this request does not reach.`),
  ];
}

function expiryProblems(caller: LimitedCaller, { expires = Infinity }: KeyLimits): Problem[] {
  if (caller.expires === undefined || expires <= caller.expires) return [];
  const latest = toTimestamp(caller.expires);
  return [problem('expires', `must not be later than ${latest}, when the API key of this request expires.`)];
}

function agentProblems(caller: LimitedCaller, { agent }: KeyLimits): Problem[] {
  if (!caller.agent || agent === caller.agent.name) return [];
  const name = JSON.stringify(caller.agent.name);
  return [problem('agent', `must be ${name}, the agent to which the API key of this request belongs.`)];
}

const requiredBecause = (field: string, reason: string): Problem =>
  problem(field, `is required, because the API key of this request ${reason}.`);

const problem = (field: string, text: string): Problem => ({ moreInfo: field, message: `${field} ${text}` });
