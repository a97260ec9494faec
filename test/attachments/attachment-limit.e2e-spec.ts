import { randomUUID } from 'node:crypto';
import { Attachment } from '../../src/attachments/entities/attachment.entity';
import { insertRows } from '../../src/database/sql/rows';
import { inList } from '../../src/database/sql/statements';
import { IssueAttachment } from '../../src/issues/entities/issue-attachment.entity';
import { errorShape } from '../support/shapes';
import { type ProjectFixture, useWorld } from '../support/world';

const LIMIT = 100;

describe('the limit of 100 attachments of an issue', () => {
  const tested = useWorld();

  /** Attaches files without bytes. */
  const fill = ({ issueId }: ProjectFixture, count: number): Promise<void> =>
    tested.world.write(async (manager) => {
      const storageKeys = Array.from({ length: count }, () => randomUUID());
      await insertRows(
        manager,
        Attachment,
        storageKeys.map((storageKey, index) => ({
          storageKey,
          name: `file ${index}`,
          size: 0,
          stored: true,
          attached: true,
          createdUserId: tested.world.admin.id,
          created: Date.now(),
        })),
      );
      const { sql, parameters } = inList(storageKeys);
      const stored = await manager.query<{ id: number }[]>(
        `SELECT id FROM attachment WHERE storage_key ${sql}`,
        parameters,
      );
      await insertRows(
        manager,
        IssueAttachment,
        stored.map(({ id }) => ({ attachmentId: id, issueId })),
      );
    });

  it('refuses one of two simultaneous comments with a file and stores nothing of it', async () => {
    const { admin } = tested.world;
    const project = await tested.world.addProject();
    await fill(project, LIMIT - 1);
    const path = `/issues/${project.issueKey}`;
    const uploads = [await tested.world.addUpload(admin), await tested.world.addUpload(admin)];
    const answers = await Promise.all(
      uploads.map((id) => admin.api.post(`${path}/comments`, { content: 'A file', attachmentId: [id] })),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409]);
    const refused = answers.findIndex(({ status }) => status === 409);
    expect(answers[refused]?.body).toEqual(errorShape(9));
    expect((await admin.api.get(`${path}/comments/count`)).body).toEqual({ count: 1 });
    expect((await admin.api.get<unknown[]>(`${path}/attachments`)).body).toHaveLength(LIMIT);
    // A refused upload can still be used.
    const page = await admin.api.post(`/wikis/${project.wikiId}/attachments`, {
      attachmentId: [uploads[refused]],
    });
    expect(page.status).toBe(200);
  });

  it('allows the deletion of an issue with more attachments', async () => {
    const { admin } = tested.world;
    const project = await tested.world.addProject();
    // As from a version without the limit.
    await fill(project, 2100);
    expect((await admin.api.delete(`/issues/${project.issueKey}`)).status).toBe(200);
    const [row] = await tested.world.dataSource.query<{ count: number | string }[]>(
      'SELECT COUNT(*) AS count FROM issue_attachment WHERE issue_id = ?',
      [project.issueId],
    );
    expect(Number(row?.count)).toBe(0);
  });
});
