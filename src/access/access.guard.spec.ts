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
    ['roles', plain, NormalUser, false, SOMEBODY, true],
    ['roles', plain, Viewer, false, CALLER, false],
    ['roles', plain, Viewer, true, CALLER, false],
    ['roles or project administrators', orProject, Administrator, false, SOMEBODY, true],
    ['roles or project administrators', orProject, NormalUser, false, CALLER, false],
    ['roles or project administrators', orProject, NormalUser, true, SOMEBODY, true],
    ['roles or project administrators', orProject, Viewer, true, SOMEBODY, true],
    ['authors of a role', author, NormalUser, false, CALLER, true],
    ['authors of a role', author, NormalUser, false, SOMEBODY, false],
    ['authors of a role', author, Administrator, true, SOMEBODY, false],
    ['authors of a role', author, Viewer, false, CALLER, false],
    ['authors of a role', author, NormalUser, false, undefined, false],
    ['authors of a role or project administrators', authorOrProject, Viewer, true, CALLER, true],
    ['authors of a role or project administrators', authorOrProject, Viewer, true, SOMEBODY, false],
    ['administrators of a role', administrators, Administrator, false, SOMEBODY, true],
    ['administrators of a role', administrators, NormalUser, false, CALLER, false],
    ['administrators of a role', administrators, NormalUser, true, SOMEBODY, true],
    ['administrators of a role', administrators, Viewer, true, SOMEBODY, false],
    ['roles or the author', orAuthor, Viewer, false, CALLER, true],
    ['roles or the author', orAuthor, NormalUser, false, SOMEBODY, false],
    ['roles or the author in a role', orNormalAuthor, NormalUser, false, CALLER, true],
    ['roles or the author in a role', orNormalAuthor, Viewer, false, CALLER, false],
    ['roles or the author in a role', orNormalAuthor, NormalUser, false, SOMEBODY, false],
    ['nobody', nobody, Administrator, true, CALLER, false],
  ])('for %s (%j), role %d, project administrator %s, author %s: %s', (...given) => {
    const [, rule, roleType, isProjectAdministrator, ownerId, may] = given;
    expect(mayCall(rule, { id: CALLER, roleType }, { isProjectAdministrator, ownerId })).toBe(may);
  });

  it.each([
    [plain, true],
    [orProject, false],
    [author, false],
  ])('for %j where the path names nothing: %s', (rule, may) => {
    expect(mayCall(rule, { id: CALLER, roleType: NormalUser }, undefined)).toBe(may);
  });
});
