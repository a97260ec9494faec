import { type ProjectFixture, type World } from '../world';
import {
  DEVELOPERS,
  EVERYONE,
  type Names,
  type OperationCase,
  type OperationCases,
  PROJECT_ADMINISTRATORS,
  theProject,
  times,
} from './operation-case';

interface AddedField {
  id: number;
  items: { id: number }[];
}

/** Adds a list with two items, to which users who may change issues may add more. */
async function addField(world: World, project: ProjectFixture, rest: object = {}): Promise<AddedField> {
  const answer = await world.admin.api.post<AddedField>(`/projects/${project.key}/customFields`, {
    typeId: 5,
    name: world.uniqueName('Field'),
    items: [world.uniqueName('Item'), world.uniqueName('Item')],
    allowAddItem: true,
    ...rest,
  });
  return answer.body;
}

const aField = async (world: World, project: ProjectFixture): Promise<Names> => ({
  projectIdOrKey: project,
  customFieldId: (await addField(world, project)).id,
});

const anItem = async (world: World, project: ProjectFixture): Promise<Names> => {
  const { id, items } = await addField(world, project);
  return { projectIdOrKey: project, customFieldId: id, itemId: (items[0] as { id: number }).id };
};

const newName = (world: World) => ({ name: world.uniqueName('Name') });

const OF_FIELD: OperationCase = { right: PROJECT_ADMINISTRATORS, scope: 'project', names: aField };
const OF_ITEM: OperationCase = { ...OF_FIELD, names: anItem };

export const customFieldOperations: OperationCases = {
  listCustomFields: {
    right: EVERYONE,
    scope: 'project',
    names: theProject,
    list: {
      fill: (world, project, count) =>
        times(count, async () => {
          const { body } = await world.admin.api.post<{ id: number }>(`/projects/${project.key}/issueTypes`, {
            ...newName(world),
            color: '#7ea800',
          });
          await addField(world, project, { applicableIssueTypes: [body.id] });
        }),
    },
  },
  addCustomField: { ...OF_FIELD, names: theProject, body: (world) => ({ ...newName(world), typeId: 1 }) },
  updateCustomField: { ...OF_FIELD, body: newName },
  deleteCustomField: OF_FIELD,
  addCustomFieldItem: { ...OF_FIELD, right: { ...DEVELOPERS, projectAdministrators: true }, body: newName },
  updateCustomFieldItem: { ...OF_ITEM, body: newName },
  deleteCustomFieldItem: OF_ITEM,
};
