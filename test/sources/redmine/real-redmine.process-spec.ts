import { createHash } from 'node:crypto';
import { ApiClient } from '../../support/api';
import { LastingInstallations } from '../../support/lasting-installations';
import { Commands, type CommandResult } from '../../support/pms';
import { TemporaryFolder } from '../../support/sqlite';
import { World } from '../../support/world';
import { fillRedmine, SECRET } from './fill-redmine';
import { RedmineClient, type RedmineIssue, type RedmineJournal } from './redmine-client';

const TIMEOUT_MS = 1_800_000;
const ISSUES = 500;
/** The keys of the projects here. */
const KEYS = ['WEBSITE', 'BACK_OFFICE'];
/** What Redmine's statuses become. */
const STATUSES: Readonly<Record<string, string>> = {
  New: 'Open',
  'In Progress': 'In Progress',
  Closed: 'Closed',
};

/** Whether a journal becomes a comment: it is public, and has more than relations, which are no changes of an issue here. */
const isShown = ({ private_notes: isPrivate, notes, details }: RedmineJournal): boolean =>
  !isPrivate && ((notes ?? '') !== '' || details.some(({ property }) => property !== 'relation'));

const { TEST_REDMINE_URL: url, TEST_REDMINE_KEY: key = '' } = process.env;

describe.runIf(url)('a space into which a real Redmine has been imported', () => {
  const folder = new TemporaryFolder();
  const installations = new LastingInstallations(folder);
  const commands = new Commands();
  const redmine = new RedmineClient(url ?? '', key);
  let world: World;
  let api: ApiClient;
  let before: RedmineIssue[];
  let shown: RedmineIssue[];
  let privateCount: number;
  let result: CommandResult;
  let issueKeys: Map<number, string> | undefined;

  beforeAll(async () => {
    privateCount = await fillRedmine(redmine, ISSUES);
    before = await redmine.issues();
    shown = before.filter(({ is_private: isPrivate }) => !isPrivate);
    const settings = await installations.add('target');
    // The first start adds the administrator.
    const first = await World.start(settings);
    const adminKey = first.admin.key;
    await first.stop();
    result = await commands.run(['import', redmine.address, '--key', key], settings);
    world = await World.start(settings);
    api = new ApiClient(world.server.baseUrl, adminKey);
  }, TIMEOUT_MS);

  afterAll(async () => {
    await commands.stop();
    await world.stop();
    await installations.drop();
    folder.remove();
  });

  const get = async (path: string): Promise<any> => (await api.get(path)).body;

  async function allIssues(): Promise<any[]> {
    const found: any[] = [];
    for (;;) {
      const page: any[] = await get(`/issues?count=100&sort=created&order=asc&offset=${found.length}`);
      if (page.length === 0) return found;
      found.push(...page);
    }
  }

  const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

  it('is the same as the source when that is read again', () => {
    expect([result.exitCode, result.stderr]).toEqual([
      0,
      expect.stringContaining('The source was read again'),
    ]);
    expect(result.stderr).toContain(`- Private issues (${privateCount}): #`);
  });

  it('has every issue but the private ones, with its number, people, times and values', async () => {
    expect(before).toHaveLength(ISSUES);
    const issues = await allIssues();
    const byNumber = new Map(issues.map((issue) => [issue.keyId as number, issue]));
    expect(issues).toHaveLength(ISSUES - privateCount);
    for (const one of shown) {
      const issue = byNumber.get(one.id);
      expect([one.id, summaryOf(issue)]).toEqual([
        one.id,
        {
          ...{ summary: one.subject, description: `Description ${one.subject.slice('Subject '.length)}` },
          ...{ created: one.created_on, updated: one.updated_on, status: STATUSES[one.status.name] },
          ...{ creator: one.author.name, assignee: one.assigned_to?.name },
          ...{ dueDate: `${one.due_date}T00:00:00Z`, hours: one.estimated_hours },
          ...{ customer: one.custom_fields?.[0]?.value },
          files: one.attachments.map(({ filename, filesize }) => [filename, filesize]),
        },
      ]);
    }
  });

  const summaryOf = (issue: any): object => ({
    ...{ summary: issue.summary, description: issue.description },
    ...{ created: issue.created, updated: issue.updated, status: issue.status.name },
    ...{ creator: issue.createdUser.name, assignee: issue.assignee?.name },
    ...{ dueDate: issue.dueDate, hours: issue.estimatedHours },
    customer: issue.customFields.find(({ name }: any) => name === 'Customer')?.value,
    files: issue.attachments.map(({ name, size }: any) => [name, size]),
  });

  it(
    'has the public notes and changes of each issue, with their authors and times',
    async () => {
      for (const one of shown) {
        const comments: any[] = await get(`/issues/${await keyOf(one)}/comments?count=100&order=asc`);
        const journals = one.journals.filter(isShown);
        expect([
          one.id,
          comments.map((comment) => [comment.createdUser.name, comment.content ?? '', comment.created]),
        ]).toEqual([
          one.id,
          journals.map(({ user, notes, created_on: created }) => [user.name, notes ?? '', created]),
        ]);
      }
    },
    TIMEOUT_MS,
  );

  it('has the same files', async () => {
    const attached = shown.filter(({ attachments }) => attachments.length > 0);
    expect(attached.length).toBeGreaterThan(ISSUES / 20);
    for (const one of attached) {
      const issue = await get(`/issues/${await keyOf(one)}`);
      for (const [index, { content_url: address }] of one.attachments.entries()) {
        const { bytes } = await api.download(
          `/issues/${issue.id}/attachments/${issue.attachments[index].id}`,
        );
        expect(sha256(bytes)).toBe(sha256(await redmine.bytes(address)));
      }
    }
  });

  it('has the relations between issues that everybody may see', async () => {
    const numbers = new Set(shown.map(({ id }) => id));
    for (const one of shown) {
      const others = (one.relations ?? [])
        .map(({ issue_id: from, issue_to_id: to }) => (from === one.id ? to : from))
        .filter((id) => numbers.has(id));
      if (others.length === 0) continue;
      const related: any[] = await get(`/issues/${await keyOf(one)}/relatedIssues`);
      expect([one.id, related.map(({ keyId }) => keyId).sort()]).toEqual([one.id, others.sort()]);
    }
  });

  it('has the wiki pages with their histories', async () => {
    for (const projectKey of KEYS) {
      const pages: any[] = await get(`/wikis?projectIdOrKey=${projectKey}`);
      expect(pages.map(({ name }) => name)).toEqual(['Home']);
      const versions: any[] = await get(`/wikis/${pages[0].id}/history?order=asc`);
      expect(versions.map(({ content }) => content)).toEqual(['First text', 'Second text', 'Third text']);
    }
  });

  it('has nothing private anywhere', async () => {
    for (const { tableName } of world.dataSource.entityMetadatas) {
      const rows = await world.dataSource.query(`SELECT * FROM ${world.dataSource.driver.escape(tableName)}`);
      expect([tableName, JSON.stringify(rows).includes(SECRET)]).toEqual([tableName, false]);
    }
  });

  async function keyOf({ id }: RedmineIssue): Promise<string> {
    issueKeys ??= new Map((await allIssues()).map((issue) => [issue.keyId, issue.issueKey]));
    return issueKeys.get(id) ?? '';
  }
});
