import { addUniqueIssue } from './issues.operations';
import { EVERYONE, type OperationCase, type OperationCases, times } from './operation-case';

const OF_CALLER: OperationCase = { right: EVERYONE, scope: 'space' };

export const recentlyViewedOperations: OperationCases = {
  listRecentlyViewedIssues: {
    ...OF_CALLER,
    list: {
      fill: (world, _project, count) =>
        times(count, async () => world.admin.api.get(`/issues/${await addUniqueIssue(world)}`)),
    },
  },
  addRecentlyViewedIssue: {
    ...OF_CALLER,
    body: async (world, person) => {
      const project = await world.addProject();
      await world.join(project, person);
      return { issueIdOrKey: project.issueKey };
    },
  },
  listRecentlyViewedProjects: {
    ...OF_CALLER,
    list: {
      fill: (world, _project, count) =>
        times(count, async () => world.admin.api.get(`/projects/${(await world.addProject()).key}`)),
    },
  },
  listRecentlyViewedWikis: {
    ...OF_CALLER,
    list: {
      fill: (world, _project, count) =>
        times(count, async () => {
          const project = await world.addProject();
          const { api } = await world.addMember(project);
          await api.patch(`/wikis/${project.wikiId}`, { name: `[${world.uniqueName('tag')}] Page` });
          await world.admin.api.get(`/wikis/${project.wikiId}`);
        }),
    },
  },
  addRecentlyViewedWiki: {
    ...OF_CALLER,
    body: async (world, person) => {
      const project = await world.addProject();
      await world.join(project, person);
      return { wikiId: project.wikiId };
    },
  },
};
