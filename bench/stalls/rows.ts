import { join } from 'node:path';
import { BRANCHES } from '../../src/git-repositories/refs/ref-names';
import { branchOf, MAIN, makeRepository, tree } from '../support/git-repositories';
import { cloneAddress, git } from '../support/git';
import { runCommand } from '../support/processes';
import { type Workspace } from '../support/workspace';
import { type StallClient } from './client';
import { PROJECT, REMOVED_PROJECT, type SeededStalls, type StallSizes } from './seeding';

/** What a row works on. */
export interface StallContext {
  workspace: Workspace;
  databaseUrl: string;
  client: StallClient;
  seeded: SeededStalls;
  sizes: StallSizes;
}

/** Work during which the service must answer everybody else. */
export interface StallRow {
  name: (sizes: StallSizes) => string;
  /** Not measured. */
  prepare?: (context: StallContext) => Promise<unknown>;
  run: (context: StallContext) => Promise<unknown>;
}

/** Number of requests sent at once where one of them is not much work. */
const AT_ONCE = 6;
const ISSUE_LONG = `${PROJECT}-1`;
const ISSUE = `${PROJECT}-2`;
const REPOSITORIES = `/projects/${PROJECT}/git/repositories`;
const MAX_TEXT = 100_000;
const MAX_COMMENT = 50_000;
const FOUR_BYTES = '𠮷';
const LONG_TEXTS = 100;
const ITEMS = 50;
/** As many items of each custom field as a body has room for. */
const GIVEN_ITEMS = 48;
const LIST_TYPE = 6;
const PEOPLE_OF_TEAM = 200;
const TEAM_PROJECTS = 20;
const REFS = 500;

/** The rows in the order of their measurement, which matters: some work on what an earlier one has added, and the last remove it. */
export const STALL_ROWS: readonly StallRow[] = [
  {
    name: ({ auditLogEntries, deliveries }) =>
      `after a start: ${count(auditLogEntries)} expired entries of the audit log, ${count(deliveries)} expired deliveries, no index of texts`,
    run: async ({ client }) => {
      for (const work of ['audit_log_retention', 'webhook_retention', 'search_index'])
        await client.whenRun(work, 1);
    },
  },
  {
    name: ({ documents }) => `tree of ${count(documents)} documents`,
    run: ({ client }) => client.sendAtOnce(AT_ONCE, 'GET', `/documents/tree?projectIdOrKey=${PROJECT}`),
  },
  {
    name: ({ comments }) => `markAsRead of ${count(comments)} notifications`,
    run: ({ client }) => client.send('POST', '/notifications/markAsRead'),
  },
  {
    name: ({ users }) => `comments that notify ${count(users)} people, ${AT_ONCE} at once`,
    run: ({ client, seeded }) =>
      client.sendAtOnce(AT_ONCE, 'POST', `/issues/${ISSUE}/comments`, {
        content: 'For everybody',
        notifiedUserId: seeded.userIds,
      }),
  },
  {
    name: () => 'list of those comments',
    run: ({ client }) => client.sendAtOnce(AT_ONCE, 'GET', `/issues/${ISSUE}/comments?count=100`),
  },
  {
    name: ({ users }) => `list of ${count(users)} users`,
    run: ({ client }) => client.sendAtOnce(2 * AT_ONCE, 'GET', '/users'),
  },
  {
    name: () => `team of ${PEOPLE_OF_TEAM} people joins and leaves ${TEAM_PROJECTS} projects`,
    run: async ({ client, seeded }) => {
      const members = seeded.userIds.slice(0, PEOPLE_OF_TEAM);
      const { id } = await client.send<{ id: number }>('POST', '/teams', { name: 'Everybody' });
      for (let number = 1; number <= TEAM_PROJECTS; number++) {
        await client.send('POST', '/projects', { key: `T${number}`, name: `T${number}` });
        await client.send('POST', `/projects/T${number}/teams`, { teamId: id });
      }
      await client.send('PATCH', `/teams/${id}`, { members });
      await client.send('DELETE', `/teams/${id}`);
    },
  },
  {
    name: ({ customFields }) => `custom fields: list of ${customFields} with ${ITEMS} items each`,
    prepare: ({ client, sizes }) => addCustomFields(client, sizes.customFields),
    run: ({ client }) => client.sendAtOnce(AT_ONCE, 'GET', `/projects/${PROJECT}/customFields`),
  },
  {
    name: ({ customFields }) =>
      `refused bodies: ${customFields} custom fields with ${GIVEN_ITEMS} items each, ${AT_ONCE} at once`,
    run: async ({ client, seeded }) => {
      const body = await issueWithItems(client, seeded, GIVEN_ITEMS);
      await client.sendAtOnce(AT_ONCE, 'POST', '/issues', body, 400);
    },
  },
  {
    name: ({ customFields }) =>
      `issues with 5 items in each of ${customFields} custom fields, ${AT_ONCE} at once`,
    run: async ({ client, seeded }) =>
      client.sendAtOnce(AT_ONCE, 'POST', '/issues', await issueWithItems(client, seeded, 5)),
  },
  {
    name: () => 'refused bodies: 4,900 unknown fields',
    run: ({ client }) => {
      const fields = Array.from({ length: 4900 }, (_, index) => [`unknown${index}`, 'x'.repeat(150)]);
      return client.sendAtOnce(AT_ONCE, 'POST', '/issues', Object.fromEntries(fields) as object, 400);
    },
  },
  ...Object.entries(markdownTexts()).map(([name, content]) => ({
    name: () => `Markdown of ${count(MAX_TEXT)} characters: ${name}, ${AT_ONCE} at once`,
    run: async ({ client, seeded }: StallContext) => {
      const body = { projectId: seeded.projectId, title: name, content };
      await Promise.all(
        Array.from({ length: AT_ONCE }, () => client.send('POST', '/documents', body).catch(ignoreRefusal)),
      );
    },
  })),
  {
    name: () => 'icons: 20 uploads of 1 MiB, and 300 generated ones',
    run: async ({ client, seeded }) => {
      const uploads = seeded.userIds
        .slice(0, 20)
        .map((id) => client.send('PUT', `/users/${id}/icon`, largeIcon()));
      await Promise.all(uploads);
      for (let round = 0; round < 10; round++) {
        await Promise.all(seeded.userIds.slice(-30).map((id) => client.send('GET', `/users/${id}/icon`)));
      }
    },
  },
  {
    name: ({ webhooks }) => `20 comments at once that ${webhooks} webhooks receive`,
    prepare: async ({ client, sizes }) => {
      for (let number = 1; number < sizes.webhooks; number++) {
        const hook = { name: `Hook ${number}`, hookUrl: 'https://receiver.invalid/', allEvent: true };
        await client.send('POST', `/projects/${PROJECT}/webhooks`, hook);
      }
    },
    run: ({ client }) =>
      client.sendAtOnce(20, 'POST', `/issues/${ISSUE}/comments`, { content: 'For all webhooks' }),
  },
  {
    name: ({ commits }) => `push of ${count(commits)} commits that name an issue, and of ${REFS} branches`,
    prepare: async ({ client, workspace, sizes }) => {
      await client.send('POST', REPOSITORIES, { name: 'pushed' });
      await makeRepository(join(workspace.folder, 'pushed'), commitsThatName(ISSUE, sizes.commits));
    },
    run: async ({ client, workspace }) => {
      await client.untilDone('issue_commits', async () => {
        const address = cloneAddress(client.origin, PROJECT, 'pushed');
        await git(
          join(workspace.folder, 'pushed'),
          'push',
          '--quiet',
          address,
          `${MAIN}:${MAIN}`,
          'refs/heads/*:refs/heads/*',
        );
      });
    },
  },
  {
    name: ({ files }) => `comparison of ${count(files)} changed files, ${AT_ONCE} at once`,
    prepare: async ({ client, workspace, sizes }) => {
      await client.send('POST', REPOSITORIES, { name: 'tree' });
      const folder = await makeRepository(
        join(workspace.folder, 'tree'),
        tree({ files: sizes.files, changedFiles: sizes.files, commits: 0, megabytes: 0 }, 0),
      );
      const address = cloneAddress(client.origin, PROJECT, 'tree');
      await git(folder, 'push', '--quiet', address, `${MAIN}:${MAIN}`, 'refs/heads/*:refs/heads/*');
    },
    run: ({ client }) =>
      client.sendAtOnce(AT_ONCE, 'GET', `${REPOSITORIES}/tree/compare?base=main&head=large&count=100`),
  },
  {
    name: () => `comparison with patches and messages of the maximum size, ${AT_ONCE} at once`,
    prepare: async ({ client, workspace }) => {
      await client.send('POST', REPOSITORIES, { name: 'texts' });
      const folder = await makeRepository(join(workspace.folder, 'texts'), largeTexts());
      const address = cloneAddress(client.origin, PROJECT, 'texts');
      await git(folder, 'push', '--quiet', address, `${MAIN}:${MAIN}`, 'refs/heads/*:refs/heads/*');
    },
    run: ({ client }) =>
      client.sendAtOnce(AT_ONCE, 'GET', `${REPOSITORIES}/texts/compare?base=main&head=large&count=100`),
  },
  {
    name: () => `diff of those patches, ${AT_ONCE} at once`,
    run: async ({ client }) => {
      const fields = { summary: 'Large', description: '', base: 'main', branch: 'large' };
      const { number } = await client.send<{ number: number }>(
        'POST',
        `${REPOSITORIES}/texts/pullRequests`,
        fields,
      );
      await client.sendAtOnce(AT_ONCE, 'GET', `${REPOSITORIES}/texts/pullRequests/${number}.diff`);
    },
  },
  {
    name: () => `history of a wiki page, 100 versions of ${count(MAX_TEXT)} characters`,
    run: ({ client, seeded }) => client.sendAtOnce(3, 'GET', `/wikis/${seeded.wikiId}/history?count=100`),
  },
  {
    name: () => 'search of comments and issues by a frequent and by a rare word',
    run: async ({ client }) => {
      for (const keyword of ['list', 'quokka']) {
        await client.sendAtOnce(2, 'GET', `/issues?count=100&keyword=${keyword}`);
        await client.sendAtOnce(
          2,
          'GET',
          `/documents?count=100&offset=0&projectId[]=1&projectId[]=2&keyword=${keyword}`,
        );
      }
    },
  },
  {
    name: () => 'backup of everything, by a command beside the service',
    run: ({ workspace, databaseUrl }) =>
      runCommand(workspace, databaseUrl, 'backup', join(workspace.folder, 'backup.tar.gz'), '--without-key'),
  },
  {
    name: ({ comments }) =>
      `export of a project of ${count(comments)} comments, by a command beside the service`,
    run: ({ workspace, databaseUrl }) =>
      runCommand(
        workspace,
        databaseUrl,
        'project',
        'export',
        PROJECT,
        join(workspace.folder, 'export.jsonl'),
      ),
  },
  {
    name: ({ wikiVersions }) =>
      `removal of a wiki page of ${count(wikiVersions)} versions of ${count(MAX_TEXT)} characters`,
    run: ({ client, seeded }) =>
      client.untilDone('wiki_history_removal', () => client.send('DELETE', `/wikis/${seeded.wikiId}`)),
  },
  {
    name: ({ comments }) => `removal of an issue of ${count(comments)} comments`,
    run: ({ client }) =>
      client.untilDone('thread_removal', () => client.send('DELETE', `/issues/${ISSUE_LONG}`)),
  },
  {
    name: ({ documents }) => `second DELETE of a tree of ${count(documents)} documents`,
    prepare: ({ client, seeded }) => client.send('DELETE', `/documents/${seeded.documentId}`),
    run: ({ client, seeded }) =>
      client.untilDone('document_removal', () => client.send('DELETE', `/documents/${seeded.documentId}`)),
  },
  {
    name: ({ deliveries }) => `removal of a webhook of ${count(deliveries)} deliveries`,
    run: ({ client, seeded }) =>
      client.untilDone('webhook_removal', () =>
        client.send('DELETE', `/projects/${PROJECT}/webhooks/${seeded.webhookId}`),
      ),
  },
  {
    name: ({ issues }) =>
      `removal of a category, a custom field and an issue type of ${count(issues)} issues`,
    run: async ({ client, seeded: { removed } }) => {
      const project = `/projects/${REMOVED_PROJECT}`;
      const issueTypes = await client.send<{ id: number }[]>('GET', `${project}/issueTypes`);
      const substitute = issueTypes.find(({ id }) => id !== removed.issueTypeId);
      await client.send('DELETE', `${project}/categories/${removed.categoryId}`);
      await client.send('DELETE', `${project}/customFields/${removed.customFieldId}`);
      await client.send('DELETE', `${project}/issueTypes/${removed.issueTypeId}`, {
        substituteIssueTypeId: substitute?.id,
      });
    },
  },
  {
    name: ({ issues }) => `removal of a project of ${count(issues)} issues`,
    run: ({ client }) =>
      client.untilDone('project_removal', () => client.send('DELETE', `/projects/${REMOVED_PROJECT}`)),
  },
  {
    name: () => `list of 100 issues with descriptions of ${count(MAX_TEXT)} four-byte characters`,
    prepare: async ({ client, seeded: { projectId, issueTypeId } }) => {
      const description = FOUR_BYTES.repeat(MAX_TEXT);
      for (let number = 1; number <= LONG_TEXTS; number++) {
        const fields = { projectId, issueTypeId, priorityId: 3, summary: `Long ${number}`, description };
        await client.send('POST', '/issues', fields);
      }
    },
    run: ({ client }) => client.send('GET', '/issues?count=100&sort=created'),
  },
  {
    name: () => `list of 100 comments of ${count(MAX_COMMENT)} four-byte characters`,
    prepare: async ({ client }) => {
      const content = FOUR_BYTES.repeat(MAX_COMMENT);
      for (let number = 1; number <= LONG_TEXTS; number++) {
        await client.send('POST', `/issues/${ISSUE}/comments`, { content });
      }
    },
    run: ({ client }) => client.send('GET', `/issues/${ISSUE}/comments?count=100`),
  },
  {
    name: () => 'list of 100 changes of such descriptions',
    prepare: async ({ client }) => {
      for (let number = 1; number <= LONG_TEXTS; number++) {
        const description = `${FOUR_BYTES.repeat(MAX_TEXT - 3)}${number + 100}`;
        await client.send('PATCH', `/issues/${ISSUE}`, { description });
      }
    },
    run: ({ client }) => client.send('GET', `/issues/${ISSUE}/comments?count=100`),
  },
  {
    name: () => 'list of 100 activities of those changes',
    run: ({ client }) => client.send('GET', '/space/activities?count=100'),
  },
];

const count = (number: number): string => number.toLocaleString('en');

const ignoreRefusal = (error: unknown): void => {
  // Some texts have more formatting than a document may have.
  if (!(error as Error).message.includes(': 400 ')) throw error;
};

async function addCustomFields(client: StallClient, fields: number): Promise<void> {
  const items = Array.from({ length: ITEMS }, (_, index) => `Item ${index}`);
  for (let number = 1; number <= fields; number++) {
    await client.send('POST', `/projects/${PROJECT}/customFields`, {
      typeId: LIST_TYPE,
      name: `Field ${number}`,
      items,
    });
  }
}

/** Returns a new issue with the first items of every custom field. */
async function issueWithItems(
  client: StallClient,
  { projectId, issueTypeId }: SeededStalls,
  items: number,
): Promise<object> {
  const fields = await client.send<{ id: number; items: { id: number }[] }[]>(
    'GET',
    `/projects/${PROJECT}/customFields`,
  );
  const values = fields.map((field) => [
    `customField_${field.id}`,
    field.items.slice(0, items).map(({ id }) => id),
  ]);
  return {
    projectId,
    summary: 'Issue',
    issueTypeId,
    priorityId: 3,
    ...(Object.fromEntries(values) as object),
  };
}

/** Texts that take the conversion long, by name. */
function markdownTexts(): Record<string, string> {
  const full = (part: string): string => part.repeat(Math.ceil(MAX_TEXT / part.length)).slice(0, MAX_TEXT);
  return {
    'plain lines': full('The loop reads past the end of the list.\n'),
    // Nearly the maximum length of the JSON.
    'a list': full('- item 12\n- another item\n'),
    images: full('!['),
    links: full('[a]('),
    emphasis: full('a* b_ c** '),
    'delimiters of a table': `${full('|').slice(0, MAX_TEXT / 2)}\n${full('-|').slice(0, MAX_TEXT / 2 - 1)}`,
    'quotes and lists': full('> - '),
    'a table': `|a|b|c|\n|-|-|-|\n${full('|*a*|b|c|\n').slice(0, MAX_TEXT - 20)}`,
  };
}

/** Returns a form with a JPEG of the maximum size, most of which the service has to skip. */
function largeIcon(): FormData {
  const start = Buffer.from('\xff\xd8', 'latin1');
  const frame = Buffer.from('\xff\xc0\0\x0b\x08\0\x10\0\x10\x01\x01\x11\0', 'latin1');
  const segment = Buffer.from('\xff\xe0\0\x02', 'latin1');
  const segments = Buffer.alloc(1024 * 1024 - start.length - frame.length - 3).fill(segment);
  const whole = segments.subarray(0, segments.length - (segments.length % segment.length));
  const form = new FormData();
  form.set('file', new Blob([Buffer.concat([start, whole, frame])]), 'icon.jpg');
  return form;
}

/** Generates a branch of commits that name an issue, and branches that point to some of them. */
function* commitsThatName(issueKey: string, commits: number): Generator<string> {
  for (let number = 1; number <= commits; number++) {
    const message = `${issueKey} change ${number}`;
    yield (
      `commit ${MAIN}\nmark :${number}\ncommitter Ada <ada@example.com> ${1_767_225_600 + number} +0000\n` +
      `data ${message.length}\n${message}\nM 100644 inline file.txt\ndata ${String(number).length}\n${number}\n`
    );
  }
  for (let number = 1; number <= REFS; number++) {
    yield `reset ${BRANCHES}branch-${number}\nfrom :${1 + ((number - 1) % commits)}\n\n`;
  }
  yield 'done\n';
}

/** Generates a branch whose files and messages are longer than a response shows, with characters that JSON escapes. */
function* largeTexts(): Generator<string> {
  const files = 100;
  const line = `${'\x01"\\'.repeat(40)}\n`;
  const text = (version: number): string => `${version}${line}`.repeat(1000);
  const message = line.repeat(200);
  const commit = (ref: string, number: number, from?: string): string =>
    `commit ${ref}\ncommitter Ada <ada@example.com> ${1_767_225_600 + number} +0000\n` +
    `data ${message.length}\n${message}\n${from === undefined ? '' : `from ${from}\n`}`;
  yield commit(MAIN, 1);
  for (let file = 0; file < files; file++) yield fileOf(`file-${file}.txt`, text(1));
  for (let number = 2; number <= 101; number++) {
    yield commit(branchOf('large'), number, number === 2 ? MAIN : undefined);
    yield fileOf(`file-${number - 2}.txt`, text(number));
  }
  yield 'done\n';
}

const fileOf = (name: string, text: string): string =>
  `M 100644 inline ${name}\ndata ${text.length}\n${text}\n`;
