import { ActivityType } from '../../src/activities/activity-type';
import { RoleType } from '../../src/access/role-type';
import { ServiceUnavailableError } from '../../src/errors/domain-errors';
import { IssueCommitsService } from '../../src/issues/commits/issue-commits.service';
import { IssueCommitRepository } from '../../src/issues/data/issue-commit.repository';
import { IssueLookupRepository } from '../../src/issues/data/issue-lookup.repository';
import { describeWithGit, GitFolder, WITH_GIT } from '../support/git';
import { PushedRepository } from '../support/pushes';
import { activitiesOf, everyStatementOf, readsOfUsers } from '../support/records';
import { addWebhook } from '../support/webhooks';
import { type Person, type ProjectFixture, useWorld } from '../support/world';

interface IssueComment {
  content: string | null;
  changeLog: { field: string; newValue: string; originalValue: string }[];
  createdUser: { id: number };
}

describeWithGit('a pushed commit that names an issue', () => {
  const tested = useWorld(WITH_GIT);
  let project: ProjectFixture;
  let person: Person;
  let folder: GitFolder;
  let repository: PushedRepository;

  beforeEach(async () => {
    const { world } = tested;
    project = await world.addProject();
    person = await world.addMember(project);
    folder = await GitFolder.make();
    repository = await PushedRepository.clone(world, project.repositoryId, folder);
  });

  afterEach(() => folder.remove());

  const push = async (...refspecs: string[]): Promise<void> => {
    await repository.push(person, ...refspecs);
    await tested.world.background.whenIdle();
  };

  const comments = async (): Promise<IssueComment[]> => {
    const path = `/issues/${project.issueKey}/comments?order=asc&count=100`;
    return (await tested.world.admin.api.get<IssueComment[]>(path)).body;
  };

  const status = async (): Promise<number> =>
    (await tested.world.admin.api.get<{ status: { id: number } }>(`/issues/${project.issueKey}`)).body.status
      .id;

  const issueActivities = async (): Promise<{ type: number; createdUserId: number; content: object }[]> => {
    const types: readonly number[] = [ActivityType.IssueUpdated, ActivityType.IssueCommented];
    return (await activitiesOf(tested.world, project)).filter(({ type }) => types.includes(type));
  };

  const pending = (): Promise<unknown[]> =>
    tested.world.dataSource.query('SELECT id FROM issue_commit WHERE pending_since IS NOT NULL');

  it('adds one comment by the pusher, however often it is pushed', async () => {
    const hash = await repository.commit(`Begin ${project.issueKey}\n\nIn detail`);
    await push('main');
    const comment = {
      content: `Commit ${hash} in ${project.repositoryName}\n\nBegin ${project.issueKey}\n\nIn detail`,
      changeLog: [expect.objectContaining({ field: 'commit', newValue: hash, originalValue: '' })],
      createdUser: expect.objectContaining({ id: person.id }) as object,
    };
    expect(await comments()).toEqual([expect.objectContaining(comment)]);
    expect(await issueActivities()).toEqual([
      {
        type: ActivityType.IssueCommented,
        createdUserId: person.id,
        content: expect.objectContaining({
          id: project.issueId,
          comment: expect.objectContaining({ content: comment.content }) as object,
          changes: [{ field: 'commit', new_value: hash, old_value: '', type: 'standard' }],
        }) as object,
      },
    ]);
    await push('main:other', 'main:another');
    await push(':other');
    await push('main:other');
    expect(await comments()).toHaveLength(1);
    expect(await status()).toBe(1);
  });

  it('adds its comment in commit order, oldest first', async () => {
    const hashes = [];
    for (const message of ['One', 'Two', 'Three']) {
      hashes.push(await repository.commit(`${message} ${project.issueKey}`));
    }
    await folder.git('tag', '-a', '-m', 'Four', 'four');
    await push('refs/tags/four');
    await push('main');
    expect((await comments()).map(({ changeLog }) => changeLog[0]?.newValue)).toEqual(hashes);
  });

  it('ignores issues of other projects and unknown issues', async () => {
    const other = await tested.world.addProject();
    await repository.commit(`#close ${other.issueKey} ${project.key}-999 X${project.issueKey}`);
    await push('main');
    expect(await comments()).toEqual([]);
    const path = `/issues/${other.issueKey}/comments`;
    expect((await tested.world.admin.api.get<unknown[]>(path)).body).toEqual([]);
  });

  it('sets the status on the default branch in one comment', async () => {
    const hash = await repository.commit(`Repair #fixes ${project.issueKey}`);
    await push('main');
    expect(await status()).toBe(3);
    const [comment, ...others] = await comments();
    expect(others).toEqual([]);
    expect(comment?.content).toContain('Repair');
    expect(comment?.changeLog).toEqual([
      expect.objectContaining({ field: 'commit', newValue: hash }),
      expect.objectContaining({ field: 'status', originalValue: 'Open', newValue: 'Resolved' }),
    ]);
    expect((await issueActivities()).map(({ type, createdUserId }) => [type, createdUserId])).toEqual([
      [ActivityType.IssueUpdated, person.id],
    ]);
    await repository.commit(`#close ${project.issueKey}`);
    await push('main');
    expect(await status()).toBe(4);
    await repository.commit(`#fix ${project.issueKey}`);
    await push('main');
    expect(await status()).toBe(4);
    expect(await comments()).toHaveLength(3);
  });

  it('sets the status only when it reaches the default branch', async () => {
    await repository.commit('Begin');
    await push('main');
    const hash = await repository.commit(`#close ${project.issueKey}`);
    await push('main:feature');
    expect(await status()).toBe(1);
    expect(await comments()).toHaveLength(1);
    await push('main');
    expect(await status()).toBe(4);
    const [, second] = await comments();
    expect(second?.changeLog.map(({ field, newValue }) => [field, newValue])).toEqual([
      ['commit', hash],
      ['status', 'Closed'],
    ]);
  });

  it('leaves a reopened issue open when it is pushed again', async () => {
    await repository.commit('Begin');
    await push('main');
    await repository.commit(`#close ${project.issueKey}`);
    await push('main');
    await person.api.patch(`/issues/${project.issueKey}`, { statusId: 1 });
    await push('HEAD~1:main');
    await push('main');
    expect(await status()).toBe(1);
  });

  /** Closes the issue when the commit has read it, before it changes it. */
  const closeMeanwhile = (): void => {
    const lookups = tested.world.service(IssueLookupRepository);
    const find = lookups.findWhole.bind(lookups);
    vi.spyOn(lookups, 'findWhole').mockImplementationOnce(async (...parameters) => {
      const found = await find(...parameters);
      expect((await person.api.patch(`/issues/${project.issueKey}`, { statusId: 4 })).status).toBe(200);
      return found;
    });
  };

  it('does not reopen an issue that is closed at the same time', async () => {
    const hash = await repository.commit(`#fix ${project.issueKey}`);
    closeMeanwhile();
    await push('main');
    expect(await status()).toBe(4);
    const [closing, comment, ...others] = await comments();
    expect(others).toEqual([]);
    expect(closing?.changeLog).toMatchObject([{ field: 'status', newValue: 'Closed' }]);
    expect(comment?.changeLog).toMatchObject([{ field: 'commit', newValue: hash }]);
    expect(comment?.changeLog).toHaveLength(1);
  });

  it('adds no second comment when the issue is closed at the same time', async () => {
    await repository.commit('Begin');
    await push('main');
    await repository.commit(`#fix ${project.issueKey}`);
    await push('main:feature');
    expect(await comments()).toHaveLength(1);
    closeMeanwhile();
    await push('main');
    expect(await status()).toBe(4);
    expect(await comments()).toHaveLength(2);
    expect(await pending()).toEqual([]);
  });

  it('adds one comment for all actions of a commit, however many others wait', async () => {
    const { world } = tested;
    const other = await world.addProject();
    const before = Array.from({ length: 99 }, (_, index) => ({
      ...{ issueId: other.issueId, hash: String(index).padStart(40, '0'), action: 0, userId: person.id },
      ...{ agentKeyId: null, comment: 'Other', pendingSince: Date.now() },
    }));
    await world.write((manager) => world.service(IssueCommitRepository).insertMissing(manager, before));
    await repository.commit(`#fix ${project.issueKey}`);
    await push('main');
    expect(await status()).toBe(3);
    expect(await comments()).toHaveLength(1);
    expect(await pending()).toEqual([]);
  });

  it('changes nothing after the pusher has lost the right to change the issue', async () => {
    const { world } = tested;
    await repository.commit(`#close ${project.issueKey}`);
    const ids = await repository.pushOnly(person, 'main');
    await world.admin.api.patch(`/users/${person.id}`, { roleType: RoleType.Viewer });
    await repository.record(ids);
    await world.whenIdle();
    expect(await status()).toBe(1);
    expect(await comments()).toEqual([]);
    expect(await pending()).toEqual([]);
  });

  it('notifies the watchers of the issue', async () => {
    const watcher = await tested.world.addMember(project);
    await watcher.api.post('/watchings', { issueIdOrKey: project.issueKey });
    await repository.commit(`See ${project.issueKey}`);
    await push('main');
    const { body } = await watcher.api.get<{ count: number }>('/notifications/count');
    expect(body.count).toBe(1);
  });

  it('reads users once for a push, and once for each comment and each event of a webhook', async () => {
    const { world } = tested;
    const reads = async (): Promise<number> => {
      for (const message of [`One ${project.issueKey}`, 'Two', `#fix ${project.issueKey}`])
        await repository.commit(message);
      return readsOfUsers(await everyStatementOf(world, () => push('main'))).length;
    };
    expect(await reads()).toBe(1 + 2);
    await world.stopDeliveries();
    await addWebhook(world.admin, project, { url: 'https://hooks.example.com/' });
    expect(await reads()).toBe(1 + 2 + 3);
    expect(await comments()).toHaveLength(4);
  });

  it.each([
    ['an interrupted process', new Error('The process ends.')],
    ['a ServiceUnavailableError', new ServiceUnavailableError()],
  ])('adds its comment in the next run after %s', async (_, error) => {
    const { world } = tested;
    const issues = world.service(IssueCommitsService);
    const apply = vi.spyOn(
      (issues as unknown as { updates: { apply: () => Promise<unknown> } }).updates,
      'apply',
    );
    apply.mockRejectedValueOnce(error);
    await repository.commit(`#fix ${project.issueKey}`);
    await push('main');
    expect(await comments()).toEqual([]);
    world.startBackgroundWork();
    await world.background.whenIdle();
    expect(await comments()).toHaveLength(1);
    expect(await status()).toBe(3);
    apply.mockRestore();
  });
});
