import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RecordSpool } from '../archives/data/record-spool';
import { recordKinds } from '../archives/record-kinds';
import { isArchivable } from '../archives/record-limits';
import { change } from '../comments/change-log';
import { ArchiveBuilder } from './archive-builder';
import { Losses } from './losses';

const MIB = 1024 * 1024;
const AUTHOR = { createdUserId: 1, created: 0 };

describe(ArchiveBuilder.name, () => {
  let folder: string;
  let records: RecordSpool;
  let losses: Losses;
  let builder: ArchiveBuilder;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'archive-builder-'));
    records = new RecordSpool(join(folder, 'build.db'));
    losses = new Losses();
    builder = new ArchiveBuilder(await recordKinds(), records, losses, 0);
  });

  afterEach(() => {
    records.close();
    rmSync(folder, { recursive: true });
  });

  it('cuts texts that are too long for an archive, and says so', () => {
    const issue = {
      ...{ id: 3, projectId: 2, keyId: 1, issueTypeId: 1, statusId: 1, priorityId: 3, summary: 'Long' },
      ...{ description: '"'.repeat(5 * MIB), assigneeId: null, resolutionId: null, parentIssueId: null },
      ...{ startDate: null, dueDate: null, estimatedHours: null, actualHours: null },
      ...{ categoryIds: [], versionIds: [], milestoneIds: [], customValues: [], files: [] },
      ...{ sharedFileIds: [], stars: [], ...AUTHOR, updatedUserId: 1, updated: 0 },
    };
    builder.issue(issue);
    builder.comment('issue', 3, {
      ...{ id: 4, content: '課'.repeat(2 * MIB), ...AUTHOR, updated: 0, stars: [], notifications: [] },
      changeLog: [change('description', 'a'.repeat(MIB), 'b'.repeat(MIB)), change('summary', 'new', 'old')],
    });
    for (const kind of ['issue', 'comment']) {
      const [record] = [...records.records(kind)];
      expect(isArchivable(JSON.stringify(record))).toBe(true);
    }
    expect(records.find('comment', [4])?.changeLog).toMatchObject([
      {
        newValue: expect.stringMatching(/^a{524286}$/) as string,
        originalValue: expect.any(String) as string,
      },
      { newValue: 'new', originalValue: 'old' },
    ]);
    expect(losses.list()).toEqual([
      { text: 'Texts cut to 4.5 MiB: description of issue', count: 1, examples: ['3'] },
      { text: 'Texts cut to 512.0 KiB: changeLog of comment', count: 2, examples: ['4', '4'] },
      { text: 'Texts cut to 4.5 MiB: content of comment', count: 1, examples: ['4'] },
    ]);
  });
});
