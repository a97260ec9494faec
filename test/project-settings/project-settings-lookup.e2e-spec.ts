import { type EntityManager } from 'typeorm';
import { isReferenceError } from '../../src/database/connections/database-errors';
import { InvalidRequestError } from '../../src/errors/domain-errors';
import { appendValidIds } from '../../src/errors/valid-ids';
import { IssuesService } from '../../src/issues/issues.service';
import {
  SettingsLookupService,
  type WantedSettings,
} from '../../src/project-settings/settings-lookup.service';
import { StandardStatus } from '../../src/project-settings/standard-status';
import { ProjectSettingsService } from '../../src/project-settings/project-settings.service';
import { statementsOf } from '../support/records';
import { type ProjectFixture, useWorld } from '../support/world';

describe('SettingsLookupService', () => {
  const tested = useWorld();
  let lookup: SettingsLookupService;
  let project: ProjectFixture;
  let other: ProjectFixture;

  beforeAll(() => {
    lookup = tested.world.service(SettingsLookupService);
  });
  beforeEach(async () => {
    project = await tested.world.addProject();
    other = await tested.world.addProject();
  });

  const add = async (path: string, to = project): Promise<{ id: number }> => {
    const fields = ['issueTypes', 'statuses'].includes(path) ? { color: '#000000' } : {};
    const { body } = await tested.world.admin.api.post<{ id: number }>(`/projects/${to.key}/${path}`, {
      name: tested.world.uniqueName('Name'),
      ...fields,
    });
    return body;
  };

  const rowIdOf = (standard: StandardStatus, of = project): Promise<number> =>
    tested.world.write((manager) =>
      tested.world.service(ProjectSettingsService).getStandardStatusId(manager, of.id, standard),
    );

  const resolve = (wanted: WantedSettings, manager?: EntityManager) =>
    manager
      ? lookup.resolve(manager, project.id, wanted)
      : tested.world.write((own) => lookup.resolve(own, project.id, wanted));

  it('finds settings by row ids in one query per kind, as the API returns them', async () => {
    const [type, category, version, status] = [
      await add('issueTypes'),
      await add('categories', other),
      await add('versions'),
      await add('statuses', other),
    ];
    const open = await rowIdOf(StandardStatus.Open, other);
    const statements = await statementsOf(tested.world, async () => {
      expect(await lookup.issueTypesByIds([type.id, type.id, 999_999])).toEqual(new Map([[type.id, type]]));
      expect(await lookup.categoriesByIds([category.id])).toEqual(new Map([[category.id, category]]));
      expect(await lookup.versionsByIds([version.id])).toEqual(new Map([[version.id, version]]));
      const statuses = await lookup.statusesByIds([open, status.id]);
      expect([...statuses.keys()].sort()).toEqual([open, status.id].sort());
      expect(statuses.get(open)).toMatchObject({ id: 1, projectId: other.id, name: 'Open' });
      expect(statuses.get(status.id)).toEqual(status);
      expect(await lookup.versionsByIds([])).toEqual(new Map());
    });
    expect(statements).toHaveLength(4);
  });

  it('resolves the settings of a project', async () => {
    const [type, status] = [await add('issueTypes'), await add('statuses')];
    const [category, version] = [await add('categories'), await add('versions')];
    expect(
      await resolve({
        issueTypeId: type.id,
        statusId: status.id,
        categoryId: [category.id],
        versionId: [version.id],
        milestoneId: [version.id],
      }),
    ).toEqual({ issueTypeId: type.id, statusId: status.id });
    expect(await resolve({ statusId: 4 })).toEqual({ statusId: await rowIdOf(StandardStatus.Closed) });
    expect(await resolve({ categoryId: [] })).toEqual({});
    expect(await resolve({})).toEqual({});
  });

  it("refuses unknown ids, other projects' ids and internal row ids in one error", async () => {
    const [category, own] = [await add('categories', other), await add('categories')];
    const version = await add('versions', other);
    const open = await rowIdOf(StandardStatus.Open);
    const { body } = await tested.world.admin.api.get<{ id: number }[]>(
      `/projects/${project.key}/issueTypes`,
    );
    const types = body.map(({ id }) => id).join(', ');
    const refused = resolve({
      issueTypeId: other.issueTypeId,
      statusId: open,
      categoryId: [own.id, category.id, 999_999],
      versionId: [version.id],
      milestoneId: [999_999],
    });
    await expect(refused).rejects.toThrow(InvalidRequestError);
    const error = await refused.catch((reason: unknown) => reason as InvalidRequestError);
    await appendValidIds(error as InvalidRequestError);
    expect(error).toMatchObject({
      problems: [
        {
          moreInfo: 'issueTypeId',
          message: `issueTypeId: These issue types are not in the project: ${other.issueTypeId}. Valid ids: ${types}.`,
        },
        {
          moreInfo: 'statusId',
          message: `statusId: These statuses are not in the project: ${open}. Valid ids: 1, 2, 3, 4.`,
        },
        {
          moreInfo: 'categoryId',
          message: `categoryId: These categories are not in the project: ${category.id}, 999999. Valid ids: ${own.id}.`,
        },
        {
          moreInfo: 'versionId',
          message: `versionId: These versions are not in the project: ${version.id}. There are no valid ids.`,
        },
        {
          moreInfo: 'milestoneId',
          message: 'milestoneId: These versions are not in the project: 999999. There are no valid ids.',
        },
      ],
    });
  });

  it('returns the row ids for the status ids of the API', async () => {
    const status = await add('statuses');
    const [open, otherOpen] = [await rowIdOf(StandardStatus.Open), await rowIdOf(StandardStatus.Open, other)];
    const rowIds = async (wireIds: number[], projects: number[] | 'all'): Promise<number[]> =>
      (await lookup.statusRowIds(wireIds, projects)).sort((a, b) => a - b);
    expect(await rowIds([1], [project.id])).toEqual([open]);
    expect(await rowIds([1, status.id], [project.id, other.id])).toEqual(
      [open, otherOpen, status.id].sort((a, b) => a - b),
    );
    expect(await rowIds([1], 'all')).toEqual(expect.arrayContaining([open, otherOpen]));
    expect(await rowIds([status.id], [other.id])).toEqual([]);
    // Clients do not know the row ids of standard statuses.
    expect(await rowIds([otherOpen], 'all')).toEqual([]);
    expect(await rowIds([1], [])).toEqual([]);
  });

  it('protects resolved settings from deletion until the transaction ends', async () => {
    const { id } = await add('issueTypes');
    const path = `/projects/${project.key}/issueTypes/${id}`;
    const additions = Array.from({ length: 20 }, (_, index) =>
      tested.world
        .write(async (manager) => {
          await resolve({ issueTypeId: id, statusId: 1 }, manager);
          const issue = await tested.world.service(IssuesService).add(manager, {
            projectId: project.id,
            issueTypeId: id,
            statusId: project.statusId,
            summary: `Issue ${index}`,
            description: '',
            createdUserId: tested.world.admin.id,
          });
          return issue.id;
        })
        .catch((error: unknown) => error),
    );
    const [deleted, ...outcomes] = await Promise.all([
      tested.world.admin.api.delete(path, { substituteIssueTypeId: project.issueTypeId }),
      ...additions,
    ]);
    expect(deleted.status).toBe(200);
    for (const outcome of outcomes) {
      expect(isReferenceError(outcome)).toBe(false);
      if (typeof outcome !== 'number') expect(outcome).toBeInstanceOf(InvalidRequestError);
    }
    const [{ count }] = await tested.world.dataSource.query<[{ count: number }]>(
      'SELECT COUNT(*) AS count FROM issue WHERE project_id = ? AND issue_type_id <> ?',
      [project.id, project.issueTypeId],
    );
    expect(count).toBe(0);
  });
});
