import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cloneAddress, git } from '../support/git';
import { SENTENCE } from '../support/seed-database';
import { type Workspace } from '../support/workspace';
import { forEach, type Space } from './space';

/** How much there is to move. */
export interface MoveSizes {
  issues: number;
  /** Of each issue. */
  comments: number;
}

export const PROJECT = 'MOVE';
const REPOSITORY = 'code';
const PEOPLE = 8;
const PAGES = 30;
const DOCUMENTS = 30;
const PULL_REQUESTS = 20;
/** One issue of so many has a file, another one is related to the next. */
const RARELY = 10;

/** Fills a space over its API with what a project has. */
export async function populate(
  space: Space,
  workspace: Workspace,
  { issues, comments }: MoveSizes,
): Promise<void> {
  const { id: projectId } = await space.post('/projects', {
    ...{ name: 'Moved', key: PROJECT, chartEnabled: false, subtaskingEnabled: true },
    textFormattingRule: 'markdown',
  });
  const path = `/projects/${PROJECT}`;
  const people: number[] = [];
  for (let number = 1; number <= PEOPLE; number++) {
    const { id } = await space.post('/users', {
      ...{ userId: `person${number}`, name: `Person ${number}`, password: 'a long password' },
      ...{ mailAddress: `person${number}@example.com`, roleType: 2 },
    });
    people.push(id);
    await space.post(`${path}/users`, { userId: id });
  }
  const team = await space.post('/teams', { name: 'Team', members: people.slice(0, 3) });
  await space.post(`${path}/teams`, { teamId: team.id });
  const [type] = await space.get<{ id: number }[]>(`${path}/issueTypes`);
  const category = await space.post(`${path}/categories`, { name: 'Category' });
  const version = await space.post(`${path}/versions`, { name: 'Version' });
  const field = await space.post(`${path}/customFields`, { name: 'Customer', typeId: 1 });
  const ids: number[] = [];
  await forEach(Array.from({ length: issues }), async (_, index) => {
    const hasFile = index % RARELY === 0;
    const { id } = await space.post('/issues', {
      ...{ projectId, summary: `Issue ${index}`, issueTypeId: type?.id, priorityId: 3 },
      ...{ description: SENTENCE.repeat(1 + (index % 20)), assigneeId: people[index % PEOPLE] },
      ...{
        categoryId: [category.id],
        milestoneId: [version.id],
        [`customField_${field.id}`]: `Customer ${index}`,
      },
      ...(hasFile && { attachmentId: [await space.upload(`Content ${index}`, `file-${index}.txt`)] }),
    });
    ids[index] = id;
    for (let number = 1; number <= comments; number++) {
      const isChange = number === comments;
      if (isChange) await space.send('PATCH', `/issues/${id}`, { statusId: 2, comment: `Begun ${index}` });
      else await space.post(`/issues/${id}/comments`, { content: `Comment ${number}: ${SENTENCE}` });
    }
  });
  await forEach(ids.slice(1), async (id, index) => {
    if (index % RARELY === 1) await space.post(`/issues/${id}/relatedIssues`, { targetIssueId: ids[index] });
  });
  await forEach(Array.from({ length: PAGES }), async (_, index) => {
    const { id } = await space.post('/wikis', { projectId, name: `Page ${index}`, content: SENTENCE });
    await space.send('PATCH', `/wikis/${id}`, { content: SENTENCE.repeat(2) });
  });
  await forEach(Array.from({ length: DOCUMENTS }), async (_, index) => {
    await space.post('/documents', { projectId, title: `Document ${index}`, content: SENTENCE });
  });
  await addRepository(space, workspace);
}

/** Adds a git repository, with a branch for each of its pull requests. */
async function addRepository(space: Space, workspace: Workspace): Promise<void> {
  const path = `/projects/${PROJECT}/git/repositories`;
  await space.post(path, { name: REPOSITORY });
  const folder = join(workspace.folder, 'work');
  await mkdir(folder);
  await git(folder, 'init', '--quiet', '--initial-branch=main', '.');
  const commit = async (text: string): Promise<void> => {
    await writeFile(join(folder, 'file.txt'), text);
    await git(folder, 'add', '.');
    await git(folder, 'commit', '--quiet', '-m', text);
  };
  await commit('First');
  for (let number = 1; number <= PULL_REQUESTS; number++) {
    await git(folder, 'checkout', '--quiet', '-b', `branch-${number}`, 'main');
    await commit(`Change ${number}`);
  }
  await git(folder, 'push', '--quiet', cloneAddress(space.origin, PROJECT, REPOSITORY), '--all');
  for (let number = 1; number <= PULL_REQUESTS; number++) {
    const request = {
      summary: `Merge ${number}`,
      description: SENTENCE,
      base: 'main',
      branch: `branch-${number}`,
    };
    const pullRequest = await space.post<{ number: number }>(`${path}/${REPOSITORY}/pullRequests`, request);
    await space.post(`${path}/${REPOSITORY}/pullRequests/${pullRequest.number}/comments`, {
      content: 'Seen',
    });
  }
}
