import { type Person, type ProjectFixture, type World } from '../world';
import { EVERYONE, type Names, type OperationCases, theProject, times } from './operation-case';

/** Comments on a project's issue as a person, and returns the id of the resulting activity. */
async function addActivity(world: World, project: ProjectFixture, person: Person): Promise<number> {
  await person.api.post(`/issues/${project.issueKey}/comments`, { content: 'Text' });
  const [row] = await world.dataSource.query<[{ id: number }]>(
    'SELECT MAX(id) AS id FROM activity WHERE project_id = ?',
    [project.id],
  );
  return row.id;
}

/** Adds an activity in a new project, by a new member. */
async function addActivityElsewhere(world: World): Promise<number> {
  const project = await world.addProject();
  return addActivity(world, project, await world.addMember(project));
}

export const activityOperations: OperationCases = {
  listProjectActivities: {
    right: EVERYONE,
    scope: 'project',
    names: theProject,
    list: {
      fill: (world, project, count) =>
        times(count, async () => addActivity(world, project, await world.addMember(project))),
    },
  },
  listSpaceActivities: {
    right: EVERYONE,
    scope: 'space',
    list: { fill: (world, _project, count) => times(count, () => addActivityElsewhere(world)) },
  },
  listUserActivities: {
    right: EVERYONE,
    scope: 'person',
    names: (_world, _project, owner): Names => ({ userId: owner.id }),
    list: {
      fill: (world, _project, count) =>
        times(count, async () => addActivity(world, await world.addProject(), world.admin)),
    },
  },
  getActivity: {
    right: EVERYONE,
    scope: 'project',
    names: async (world, project) => ({ activityId: await addActivity(world, project, world.admin) }),
  },
};
