import { type RedmineClient } from './redmine-client';

/** In what nobody may see after the import. */
export const SECRET = 'Confidential-4711';
/** The identifiers of the projects. */
const PROJECTS = ['website', 'back-office'] as const;

const PEOPLE = ['anna', 'bob', 'chloe', 'dmitri'] as const;
const ATTACHED_EVERY = 10;
const PRIVATE_EVERY = 50;
const PRIVATE_NOTE_EVERY = 7;
const RELATED_EVERY = 9;
/** Roles and statuses of Redmine's default data. */
const MANAGER = 3;
const IN_PROGRESS = 2;
const CLOSED = 5;
const DEVELOPMENT = 9;

/** Returns the content of the file of an issue. */
const contentOf = (number: number): Buffer<ArrayBuffer> =>
  Buffer.from(`Content of file ${number}\n`.repeat(1 + number));

/** Fills an empty Redmine over its API, as users do, and returns how many issues are private. */
export async function fillRedmine(redmine: RedmineClient, issues: number): Promise<number> {
  for (const [index, login] of PEOPLE.entries()) {
    const user = {
      login,
      firstname: `First${index}`,
      lastname: `Last${index}`,
      mail: `${login}@example.com`,
    };
    await redmine.send('POST', '/users.json', { user: { ...user, password: 'a long password' } });
  }
  const { users } = await redmine.send('GET', '/users.json?limit=100');
  const userIds = PEOPLE.map((login) => users.find((user: any) => user.login === login).id as number);
  const projectIds: number[] = [];
  for (const identifier of PROJECTS) {
    const { project } = await redmine.send('POST', '/projects.json', {
      project: {
        ...{ name: `Project ${identifier}`, identifier, tracker_ids: [1, 2, 3] },
        enabled_module_names: ['issue_tracking', 'time_tracking', 'wiki', 'files'],
      },
    });
    projectIds.push(project.id);
    const path = `/projects/${identifier}`;
    for (const id of userIds)
      await redmine.send('POST', `${path}/memberships.json`, {
        membership: { user_id: id, role_ids: [MANAGER] },
      });
    await redmine.send('POST', `${path}/versions.json`, { version: { name: '1.0', due_date: '2027-01-31' } });
    await redmine.send('POST', `${path}/issue_categories.json`, { issue_category: { name: 'Server' } });
    for (const text of ['First text', 'Second text', 'Third text'])
      await redmine.send('PUT', `${path}/wiki/Wiki.json`, { wiki_page: { text, comments: 'A reason' } });
  }
  const ids: number[] = [];
  let privateCount = 0;
  // One after the other: SQLite, as Redmine uses it, refuses writes at once.
  for (let number = 0; number < issues; number++) {
    const isPrivate = number % PRIVATE_EVERY === PRIVATE_EVERY - 1;
    if (isPrivate) privateCount++;
    const author = PEOPLE[number % PEOPLE.length];
    const uploads = number % ATTACHED_EVERY === 0 ? [await upload(redmine, number)] : [];
    const { issue } = await redmine.send(
      'POST',
      '/issues.json',
      {
        issue: {
          ...{
            project_id: projectIds[number % 2],
            tracker_id: 1 + (number % 3),
            subject: `Subject ${number}`,
          },
          ...{ description: isPrivate ? SECRET : `Description ${number}`, is_private: isPrivate, uploads },
          ...{ assigned_to_id: userIds[(number + 1) % PEOPLE.length], estimated_hours: number % 8 },
          ...{ due_date: '2027-03-31', custom_fields: [{ id: 1, value: `Customer ${number}` }] },
        },
      },
      author,
    );
    ids[number] = issue.id;
    const change = (values: object, by = number + 1): Promise<unknown> =>
      redmine.send('PUT', `/issues/${issue.id}.json`, { issue: values }, PEOPLE[by % PEOPLE.length]);
    await change({ notes: `A note about ${number}`, status_id: IN_PROGRESS });
    if (number % PRIVATE_NOTE_EVERY === 0) await change({ notes: SECRET, private_notes: true });
    if (number % 3 === 0) await change({ status_id: CLOSED }, number + 2);
  }
  for (let number = RELATED_EVERY; number < issues; number += RELATED_EVERY) {
    const relation = { issue_to_id: ids[number - 2], relation_type: 'relates' };
    await redmine.send('POST', `/issues/${ids[number]}/relations.json`, { relation });
  }
  const time_entry = { issue_id: ids[0], hours: 1.5, activity_id: DEVELOPMENT };
  await redmine.send('POST', '/time_entries.json', { time_entry });
  return privateCount;
}

async function upload(redmine: RedmineClient, number: number): Promise<object> {
  const filename = `file ${number}.txt`;
  const path = `/uploads.json?filename=${encodeURIComponent(filename)}`;
  const answer = await redmine.send('POST', path, contentOf(number));
  return { token: answer.upload.token, filename, content_type: 'text/plain' };
}
