import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { ApiClient } from '../support/api';
import { LastingInstallations } from '../support/lasting-installations';
import { type CommandResult, Commands } from '../support/pms';
import { TemporaryFolder } from '../support/sqlite';
import { World } from '../support/world';

const TIMEOUT_MS = 240_000;

/** Semicolons, Windows' line breaks and encoding, as Excel writes them in Japan. */
const CSV = [
  'No;件名;本文;状態;担当;担当メール;登録者;登録日;期限;予定時間;タグ;親;ランク;部署;コメント;コメント;その他',
  '3;最初の課題;"一行目',
  '二行目 ""引用""";作業中;鈴木 一郎;suzuki@example.com;tanaka;2024/11/01 9:00;2024/12/24;1.5;表,裏;;2.5;営業;[2024/11/02 10:00] tanaka: 確認しました;[2024/11/03 11:30] 鈴木 一郎: 了解;x',
  '10;=1+1;;完了;;;鈴木 一郎;2024/11/05 18:30;;;裏;3;;開発;;;',
  '',
].join('\r\n');

const MAP = `version: 1
encoding: windows-31j
timeZone: Asia/Tokyo
project: { key: JP, name: 日本 }
columns:
  No: number
  件名: summary
  本文: description
  状態: status
  担当: assignee
  担当メール: { field: assignee, as: mail }
  登録者: creator
  登録日: created
  期限: dueDate
  予定時間: estimatedHours
  タグ: { field: categories, separator: ',' }
  親: parent
  ランク: { field: custom, type: number }
  部署: { field: custom, type: singleList }
  コメント: { field: comment, pattern: '[{time}] {author}: {text}' }
values:
  status: { 作業中: In Progress, 完了: Closed }
`;

const JIRA = `Summary,Issue key,Issue id,Issue Type,Status,Project key,Project name,Priority,Resolution,Assignee,Assignee Id,Reporter,Reporter Id,Created,Updated,Due date,Fix versions,Fix versions,Components,Labels,Labels,Description,Watchers,Watchers Id,Original estimate,Time Spent,Inward issue link (Blocks),Attachment,Custom field (Story Points),Custom field (Team),Comment,Comment,Parent,Parent key,Log Work
Epic,WEB-1,101,Epic,In Review,WEB,Website,Highest,,,,Anna Example,5570:aa-1,01/Nov/24 9:00 AM,02/Nov/24 9:00 AM,,,,,,,"h2. Goal
*All* of [it|https://example.com]",Bob,5570:bb-2,,,,,,Blue,,,,,
Story,WEB-4,104,Story,Done,WEB,Website,Low,Done,Bob,5570:bb-2,Anna Example,5570:aa-1,03/Nov/24 9:00 AM,25/Nov/24 4:40 PM,24/Dec/24,1.0,2.0,Backend,x,y,,,,9000,5400,APP-2,"03/Nov/24 9:00 AM;5570:aa-1;shot.png;https://example.atlassian.net/attachment/1",3.0,Blue,"25/Nov/24 4:40 PM;5570:bb-2;The {{fix}} is; complete","25/Nov/24 4:38 PM;5570:cc-3;Bot is working",101,WEB-1,did it;03/Nov/24 9:00 AM;5570:bb-2;5400
Other,APP-2,202,Bug,To Do,APP,Application,Medium,,,,Anna Example,5570:aa-1,04/Nov/24 12:30 AM,04/Nov/24 12:30 AM,,,,,,,,,,,,,,,,,,,,
`;

describe('CSV files as sources', () => {
  const folder = new TemporaryFolder();
  const installations = new LastingInstallations(folder);
  const commands = new Commands();

  afterAll(async () => {
    await commands.stop();
    await installations.drop();
    folder.remove();
  });

  /** Starts an installation with nothing but its administrator, imports into it, and lets `check` read it. */
  async function importInto(
    name: string,
    words: (path: (file: string) => string) => string[],
    check: (api: ApiClient, result: CommandResult, settings: Record<string, string>) => Promise<void>,
  ): Promise<void> {
    const settings = await installations.add(name);
    const first = await World.start(settings);
    const { key } = first.admin;
    await first.stop();
    const result = await commands.run(['import', ...words((file) => folder.file(file))], settings);
    const world = await World.start(settings);
    try {
      await check(new ApiClient(world.server.baseUrl, key), result, settings);
    } finally {
      await world.stop();
    }
  }

  const get = async (api: ApiClient, path: string): Promise<any> => {
    const { status, body } = await api.get(path);
    expect([path, status]).toEqual([path, 200]);
    return body;
  };

  it(
    'takes over issues with numbers, dates, people, parents and comments by a map',
    async () => {
      writeFileSync(folder.file('issues.csv'), toWindows31j(CSV));
      writeFileSync(folder.file('map.yaml'), MAP);
      const words = (path: (file: string) => string) => [
        `csv:${path('issues.csv')}`,
        '--map',
        path('map.yaml'),
      ];
      await importInto('csv', words, async (api, result, settings) => {
        expect([result.exitCode, result.stderr]).toEqual([0, expect.stringContaining('"その他"')]);
        expect(readdirSync(`${settings.IMPORT_ROOT}/sources`)).toEqual([]);
        const issues = await get(api, '/issues?sort=created&order=asc');
        expect(issues.map((issue: any) => [issue.issueKey, issue.summary, issue.status.id])).toEqual([
          ['JP-3', '最初の課題', 2],
          ['JP-10', '=1+1', 4],
        ]);
        const [first, second] = issues;
        expect(first).toMatchObject({
          description: '一行目\n二行目 "引用"',
          created: '2024-11-01T00:00:00Z',
          updated: '2024-11-03T02:30:00Z',
          dueDate: '2024-12-24T00:00:00Z',
          estimatedHours: 1.5,
          createdUser: { userId: 'tanaka' },
          assignee: { name: '鈴木 一郎' },
          issueType: { name: 'Task' },
          category: [{ name: '表' }, { name: '裏' }],
          customFields: [
            { name: 'ランク', value: 2.5 },
            { name: '部署', value: { name: '営業' } },
          ],
        });
        expect(second).toMatchObject({
          parentIssueId: first.id,
          created: '2024-11-05T09:30:00Z',
          createdUser: { id: first.assignee.id },
        });
        const comments = await get(api, '/issues/JP-3/comments?order=asc');
        expect(
          comments.map((comment: any) => [comment.content, comment.created, comment.createdUser.id]),
        ).toEqual([
          ['確認しました', '2024-11-02T01:00:00Z', first.createdUser.id],
          ['了解', '2024-11-03T02:30:00Z', first.assignee.id],
        ]);
        // The next number follows the largest of the file.
        const added = await api.post('/issues', {
          projectId: first.projectId,
          summary: 'New',
          issueTypeId: first.issueType.id,
          priorityId: 3,
        });
        expect([added.status, added.body.issueKey]).toEqual([201, 'JP-11']);
      });
    },
    TIMEOUT_MS,
  );

  it(
    'takes over the export of Jira with its projects, people, links and markup',
    async () => {
      writeFileSync(folder.file('jira.csv'), JIRA);
      const words = (path: (file: string) => string) => [
        `jira:${path('jira.csv')}`,
        '--project',
        'WEB',
        'APP:MOBILE',
      ];
      await importInto('jira', words, async (api, result) => {
        expect([result.exitCode, result.stderr]).toEqual([
          0,
          expect.stringContaining('The history of changes'),
        ]);
        expect(result.stderr).toContain('Files, which the export only names');
        expect(result.stderr).toContain('which were taken as UTC');
        const projects = await get(api, '/projects?all=true');
        expect(projects.map(({ projectKey, name }: any) => [projectKey, name])).toEqual([
          ['WEB', 'Website'],
          ['MOBILE', 'Application'],
        ]);
        const epic = await get(api, '/issues/WEB-1');
        const story = await get(api, '/issues/WEB-4');
        const other = await get(api, '/issues/MOBILE-2');
        expect(epic).toMatchObject({
          description: '## Goal\n**All** of [it](<https://example.com>)',
          status: { name: 'In Review' },
          priority: { name: 'High' },
          createdUser: { name: 'Anna Example', userId: 'Anna-Example' },
          customFields: expect.arrayContaining([expect.objectContaining({ name: 'Team', value: 'Blue' })]),
        });
        expect(story).toMatchObject({
          parentIssueId: epic.id,
          status: { id: 4 },
          resolution: { name: 'Fixed' },
          assignee: { name: 'Bob' },
          created: '2024-11-03T09:00:00Z',
          updated: '2024-11-25T16:40:00Z',
          dueDate: '2024-12-24T00:00:00Z',
          estimatedHours: 2.5,
          actualHours: 1.5,
          milestone: [{ name: '1.0' }, { name: '2.0' }],
          category: [{ name: 'Backend' }],
          customFields: expect.arrayContaining([
            expect.objectContaining({
              name: 'Labels',
              value: [expect.objectContaining({ name: 'x' }), expect.objectContaining({ name: 'y' })],
            }),
            expect.objectContaining({ name: 'Story Points', value: 3 }),
          ]),
        });
        const comments = await get(api, `/issues/WEB-4/comments?order=asc`);
        expect(
          comments.map((comment: any) => [comment.content, comment.created, comment.createdUser.name]),
        ).toEqual([
          ['Bot is working', '2024-11-25T16:38:00Z', '5570:cc-3'],
          ['The `fix` is; complete', '2024-11-25T16:40:00Z', 'Bob'],
        ]);
        const related = await get(api, '/issues/WEB-4/relatedIssues');
        expect(related.map(({ id }: any) => id)).toEqual([other.id]);
        expect(other).toMatchObject({
          created: '2024-11-04T00:30:00Z',
          status: { id: 1 },
          priority: { name: 'Normal' },
        });
        const members = await get(api, '/projects/WEB/users');
        expect(members.map(({ name }: any) => name).sort()).toEqual(['5570:cc-3', 'Anna Example', 'Bob']);
      });
    },
    TIMEOUT_MS,
  );

  it(
    'stores nothing of a file with a fault, and says where it is',
    async () => {
      writeFileSync(folder.file('wrong.csv'), JIRA.replace('24/Dec/24', '24/12/24'));
      await importInto(
        'wrong',
        (path) => [`jira:${path('wrong.csv')}`],
        async (api, result, settings) => {
          expect(result).toMatchObject({ exitCode: 1, stdout: '' });
          expect(result.stderr).toMatch(
            /wrong\.csv, line 4, column "Due date" \(dueDate\): "24\/12\/24" is no date/,
          );
          expect(await get(api, '/projects?all=true')).toEqual([]);
          expect(existsSync(`${settings.IMPORT_ROOT}/1`)).toBe(false);
        },
      );
    },
    TIMEOUT_MS,
  );

  /** Node encodes no other than Unicode: finds the bytes of each character by decoding all pairs. */
  function toWindows31j(text: string): Buffer {
    const decoder = new TextDecoder('windows-31j');
    const bytesOf = new Map<string, number[]>();
    for (let first = 0xfc; first >= 0x81; first--) {
      for (let second = 0xfc; second >= 0x40; second--) {
        bytesOf.set(decoder.decode(Uint8Array.of(first, second)), [first, second]);
      }
    }
    for (let byte = 0; byte < 0x80; byte++) bytesOf.set(String.fromCharCode(byte), [byte]);
    return Buffer.from([...text].flatMap((character) => bytesOf.get(character) as number[]));
  }
});
