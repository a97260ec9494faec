import { missingScopes, type Scope, scopesOf, scopeTraits } from './scopes';
import { EVERYONE, RoleType } from './role-type';

const BY_ADMINISTRATORS = { roles: [RoleType.Administrator] };

const of = (given: Partial<Parameters<typeof scopesOf>[0]>): Scope[] =>
  scopesOf({ traits: scopeTraits({ roles: EVERYONE }), tags: ['Issues'], method: 'GET', ...given });

describe('scopesOf', () => {
  it.each<[string, Partial<Parameters<typeof scopesOf>[0]>, Scope[]]>([
    ['a read', {}, ['read:issues']],
    ['a HEAD', { method: 'HEAD' }, ['read:issues']],
    ['a write', { method: 'DELETE' }, ['write:issues']],
    ['a search', { counted: 'search' }, ['read:issues']],
    ['a POST that only reads', { method: 'POST', counted: 'read' }, ['read:issues']],
    ['an icon', { counted: 'icon', tags: ['Users'] }, ['read:users']],
    ['an uncounted read', { counted: 'nothing' }, ['read:issues']],
    ['an uncounted write', { method: 'POST', counted: 'nothing' }, ['write:issues']],
    [
      'what only Administrators may do',
      { method: 'POST', traits: scopeTraits(BY_ADMINISTRATORS) },
      ['write:issues', 'admin'],
    ],
    [
      'what others may do with their own',
      { traits: scopeTraits({ ...BY_ADMINISTRATORS, orOwner: true }) },
      ['read:issues'],
    ],
    [
      'what administrators of a project may do',
      { traits: scopeTraits({ ...BY_ADMINISTRATORS, orProjectAdministrator: true }) },
      ['read:issues'],
    ],
    [
      'a rule with an area',
      { traits: scopeTraits({ roles: EVERYONE, area: 'git' }), tags: [] },
      ['read:git'],
    ],
    ['a read of a secret', { traits: scopeTraits({ roles: EVERYONE, effect: 'write' }) }, ['write:issues']],
    [
      'a rule with further scopes',
      { traits: scopeTraits({ roles: EVERYONE, furtherScopes: ['read'] }) },
      ['read:issues', 'read'],
    ],
    ['a rule without scopes', { traits: scopeTraits({ roles: EVERYONE, needsNoScope: true }) }, []],
  ])('derives the scopes of %s', (_what, given, expected) => {
    expect(of(given)).toEqual(expected);
  });

  it('rejects a tag without an area', () => {
    expect(() => of({ tags: ['Tickets'] })).toThrow('No area for the tag Tickets');
  });
});

describe('missingScopes', () => {
  it.each<[Scope[], Scope[], Scope[]]>([
    [['read:issues'], ['read:issues'], []],
    [['read'], ['read:issues'], []],
    [['write:issues'], ['read:issues'], []],
    [['write'], ['read:issues', 'write:wikis'], []],
    [['read', 'read:issues', 'write:wikis'], ['write:issues'], ['write:issues']],
    [['read:wikis'], ['read:issues', 'admin'], ['read:issues', 'admin']],
    [['write'], ['write:users', 'admin'], ['admin']],
    [['admin'], ['write:users', 'admin'], ['write:users']],
    [
      ['write:issues', 'read:git'],
      ['read', 'write'],
      ['read', 'write'],
    ],
    [['write'], ['read', 'write'], []],
    [[], ['read:issues'], ['read:issues']],
  ])('returns what %j lacks of %j', (granted, needed, missing) => {
    expect(missingScopes(new Set(granted), needed)).toEqual(missing);
  });
});
