import { RoleType } from './role-type';
import { type AccessRule } from './access';
import { mayCall } from './access.guard';

const { Administrator, NormalUser, Viewer } = RoleType;

describe(mayCall.name, () => {
  const plain: AccessRule = { roles: [Administrator, NormalUser] };
  const orProject: AccessRule = { roles: [Administrator], orProjectAdministrator: true };
  const author: AccessRule = { roles: [Administrator, NormalUser], ownerOnly: true };
  const authorOrProject: AccessRule = {
    roles: [Administrator],
    orProjectAdministrator: true,
    ownerOnly: true,
  };
  const administrators: AccessRule = { roles: [Administrator, NormalUser], administratorOnly: true };
  const orAuthor: AccessRule = { roles: [Administrator], orOwner: true };
  const orNormalAuthor: AccessRule = { roles: [Administrator], orOwner: [NormalUser] };
  const nobody: AccessRule = { roles: [] };
  const CALLER = 7;
  const SOMEBODY = 8;

  it.each([
    // rule, role, administers the project, owner, allowed
    ['certain roles', plain, NormalUser, false, SOMEBODY, true],
    ['certain roles', plain, Viewer, false, CALLER, false],
    ['certain roles', plain, Viewer, true, CALLER, false],
    ['certain roles or project administrators', orProject, Administrator, false, SOMEBODY, true],
    ['certain roles or project administrators', orProject, NormalUser, false, CALLER, false],
    ['certain roles or project administrators', orProject, NormalUser, true, SOMEBODY, true],
    ['certain roles or project administrators', orProject, Viewer, true, SOMEBODY, true],
    ['owners with certain roles', author, NormalUser, false, CALLER, true],
    ['owners with certain roles', author, NormalUser, false, SOMEBODY, false],
    ['owners with certain roles', author, Administrator, true, SOMEBODY, false],
    ['owners with certain roles', author, Viewer, false, CALLER, false],
    ['owners with certain roles', author, NormalUser, false, undefined, false],
    ['owners with certain roles or as project administrators', authorOrProject, Viewer, true, CALLER, true],
    [
      'owners with certain roles or as project administrators',
      authorOrProject,
      Viewer,
      true,
      SOMEBODY,
      false,
    ],
    ['administrators with certain roles', administrators, Administrator, false, SOMEBODY, true],
    ['administrators with certain roles', administrators, NormalUser, false, CALLER, false],
    ['administrators with certain roles', administrators, NormalUser, true, SOMEBODY, true],
    ['administrators with certain roles', administrators, Viewer, true, SOMEBODY, false],
    ['certain roles or the owner', orAuthor, Viewer, false, CALLER, true],
    ['certain roles or the owner', orAuthor, NormalUser, false, SOMEBODY, false],
    ['certain roles or owners with another role', orNormalAuthor, NormalUser, false, CALLER, true],
    ['certain roles or owners with another role', orNormalAuthor, Viewer, false, CALLER, false],
    ['certain roles or owners with another role', orNormalAuthor, NormalUser, false, SOMEBODY, false],
    ['nobody', nobody, Administrator, true, CALLER, false],
  ])('evaluates a rule for %s (%j) with role %d, project administrator %s and owner %s to %s', (...given) => {
    const [, rule, roleType, isProjectAdministrator, ownerId, may] = given;
    expect(mayCall(rule, { id: CALLER, roleType }, { isProjectAdministrator, ownerId })).toBe(may);
  });

  it.each([
    [plain, true],
    [orProject, false],
    [author, false],
  ])('evaluates the rule %j to %s when the path names no resource', (rule, may) => {
    expect(mayCall(rule, { id: CALLER, roleType: NormalUser }, undefined)).toBe(may);
  });
});
