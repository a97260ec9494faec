import { describeOnServer } from '../support/engines';
import { describeWithGit, GitFolder, WITH_GIT } from '../support/git';
import { NEW_PULL_REQUEST, pullRequests } from '../support/pull-requests';
import { PushedRepository } from '../support/pushes';
import { activitiesOf } from '../support/records';
import { useSharedDatabase, World } from '../support/world';

describeWithGit('merging pull requests', () => {
  describeOnServer('in two processes on one database (TEST_DATABASE_URL)', () => {
    let root: GitFolder;
    let folder: GitFolder;
    beforeEach(async () => {
      root = await GitFolder.make();
      folder = await GitFolder.make();
    });
    const environment = (): Record<string, string> => ({ ...WITH_GIT, GIT_ROOT: root.path });
    const tested = useSharedDatabase(environment);
    afterEach(async () => {
      await root.remove();
      await folder.remove();
    });

    it('merges each pull request once and in sequence', async () => {
      const { world, databaseUrl } = tested;
      const project = await world.addProject();
      const author = await world.addMember(project);
      const repository = await PushedRepository.clone(world, project.repositoryId, folder);
      const base = await repository.commit('Begin');
      const branches = ['one', 'two', 'three'];
      for (const branch of branches) {
        await folder.git('checkout', '--quiet', '-b', branch, 'main');
        await repository.commit(branch);
      }
      await repository.push(author, 'main', ...branches);
      const numbers: number[] = [];
      for (const branch of branches) {
        const body = { ...NEW_PULL_REQUEST, branch };
        numbers.push((await author.api.post<{ number: number }>(pullRequests(project), body)).body.number);
      }
      const other = await World.start({ ...environment(), DATABASE_URL: databaseUrl });
      try {
        const send = ({ server }: World, number: number): Promise<Response> =>
          fetch(`${server.baseUrl}${pullRequests(project)}/${number}`, {
            method: 'PATCH',
            headers: { authorization: `Bearer ${author.key}`, 'content-type': 'application/json' },
            body: JSON.stringify({ statusId: 3 }),
          });
        const answers = await Promise.all(
          numbers.map(async (number) => {
            const both = await Promise.all([send(world, number), send(other, number)]);
            return both.map(({ status }) => status).sort();
          }),
        );
        expect(answers).toEqual(branches.map(() => [200, 409]));
      } finally {
        await other.stop();
      }
      const bare = (...args: string[]): Promise<string> => folder.git('--git-dir', repository.bare, ...args);
      expect(await bare('rev-list', '--count', '--first-parent', `${base}..main`)).toBe('3');
      const merges = (await bare('rev-list', '--first-parent', `${base}..main`)).split('\n');
      const stored: (string | null)[] = [];
      for (const number of numbers) {
        const { body } = await author.api.get<{ mergeCommit: string | null }>(
          `${pullRequests(project)}/${number}`,
        );
        stored.push(body.mergeCommit);
      }
      expect(new Set(stored)).toEqual(new Set(merges));
      const activities = await activitiesOf(world, project);
      expect(activities.filter(({ type }) => type === 19)).toHaveLength(3);
    });
  });
});
