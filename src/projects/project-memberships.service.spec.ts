import { type EntityManager } from 'typeorm';
import { type Memberships, type ProjectMemberRepository } from './data/project-member.repository';
import { ProjectMembershipsService } from './project-memberships.service';

const manager = {} as EntityManager;
const idsTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

describe(ProjectMembershipsService.name, () => {
  const removed: Memberships[] = [];
  const repository = {
    removeTeam: (_manager: EntityManager, memberships: Memberships) => {
      removed.push(memberships);
      return Promise.resolve();
    },
  } as unknown as ProjectMemberRepository;
  const service = new ProjectMembershipsService(repository);

  beforeEach(() => {
    removed.length = 0;
  });

  it.each([
    [3, 2, 1],
    [1000, 1, 2],
    [1, 1201, 3],
    [7, 300, 7],
    [2, 700, 3],
    [5, 0, 0],
    [0, 5, 0],
  ])(
    'changes %i projects times %i users in statements of at most 500 rows',
    async (projects, users, statements) => {
      await service.removeTeam(manager, { projectIds: idsTo(projects), userIds: idsTo(users) });
      const sizes = removed.map(({ projectIds, userIds }) => projectIds.length * userIds.length);
      expect(removed).toHaveLength(statements);
      expect(Math.max(0, ...sizes)).toBeLessThanOrEqual(500);
      const pairs = removed.flatMap(({ projectIds, userIds }) =>
        projectIds.flatMap((projectId) => userIds.map((userId) => `${projectId} ${userId}`)),
      );
      expect(pairs).toHaveLength(projects * users);
      expect(new Set(pairs).size).toBe(projects * users);
    },
  );
});
