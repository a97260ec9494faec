import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RoleType } from '../../src/access/role-type';
import { describeWithGit, GitFolder, WITH_GIT } from '../support/git';
import { type Person, type ProjectFixture, useWorld, type World } from '../support/world';

describeWithGit('git over HTTP', () => {
  const tested = useWorld(WITH_GIT);
  let world: World;
  let project: ProjectFixture;
  let folder: GitFolder;

  beforeAll(() => {
    ({ world } = tested);
  });
  beforeEach(async () => {
    project = await world.addProject();
    folder = await GitFolder.make();
  });
  afterEach(() => folder.remove());

  const urlFor = (person: Person): string => {
    const url = new URL(world.server.baseUrl);
    url.pathname = `/git/${project.key}/${project.repositoryName}.git`;
    url.username = person.id === world.admin.id ? 'admin' : person.name.replace('User ', 'user');
    url.password = person.key;
    return url.href;
  };

  const commit = async (clone: GitFolder, name: string, text = name): Promise<string> => {
    await writeFile(join(clone.path, name), text);
    await clone.git('add', name);
    await clone.git('commit', '--quiet', '-m', `Add ${name}`);
    return clone.git('rev-parse', 'HEAD');
  };

  const cloned = async (person: Person, name = 'clone', ...args: string[]): Promise<GitFolder> => {
    await folder.git('clone', '--quiet', ...args, urlFor(person), name);
    return folder.in(name);
  };

  it('clones what is empty, takes pushes, and gives them to others', async () => {
    const member = await world.addMember(project);
    const clone = await cloned(member);
    expect(await clone.git('symbolic-ref', 'HEAD')).toBe('refs/heads/main');
    const first = await commit(clone, 'a.txt');
    await clone.git('push', '--quiet', 'origin', 'main');
    const other = await cloned(world.admin, 'other');
    expect(await other.git('rev-parse', 'HEAD')).toBe(first);
    const second = await commit(other, 'b.txt');
    await other.git('push', '--quiet');
    await clone.git('fetch', '--quiet');
    expect(await clone.git('rev-parse', 'origin/main')).toBe(second);
  });

  it('asks for the name and the key of somebody who may', async () => {
    const viewer = await world.addMember(project, RoleType.Viewer);
    const stranger = await world.addUser();
    const member = await world.addMember(project);
    const attempt = async (url: string) => (await folder.try('ls-remote', url)).stderr;
    const bare = urlFor(member).replace(/\/\/.*@/, '//');
    expect(await attempt(bare)).toMatch(/could not read Username|terminal prompts disabled/);
    expect(await attempt(urlFor({ ...member, key: viewer.key }))).toMatch(/Authentication failed/);
    expect(await attempt(urlFor(viewer))).toMatch(/403/);
    expect(await attempt(urlFor(stranger))).toMatch(/not found/);
    expect(await attempt(urlFor(member))).toBe('');
  });
});
