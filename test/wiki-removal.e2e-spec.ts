import { AttachmentsService } from '../src/attachments/attachments.service';
import { ProjectRemovalService } from '../src/projects/project-removal.service';
import { everythingStored } from './support/records';
import { useWorld } from './support/world';

const TABLES = ['wiki', 'wiki_version', 'wiki_tag', 'wiki_tagging', 'wiki_attachment', 'attachment'] as const;

describe('the wiki pages of a deleted project', () => {
  const tested = useWorld();

  it('are removed with all that is theirs, and those of others stay', async () => {
    const { world } = tested;
    const { admin } = world;
    const removal = world.service(ProjectRemovalService);
    const kept = await world.addProject();
    await admin.api.patch(`/wikis/${kept.wikiId}`, { name: '[dev] Home' });
    const before = await everythingStored(world);

    const project = await world.addProject();
    const { body: page } = await admin.api.post<{ id: number }>('/wikis', {
      projectId: project.id,
      name: '[dev] Keys',
      content: '',
    });
    const attachmentId = await world.addUpload(admin);
    await admin.api.post(`/wikis/${page.id}/attachments`, { attachmentId: [attachmentId] });
    const versions = Array.from({ length: 1200 }, (_, index) => [page.id, index + 2, '', '', admin.id, 1]);
    await world.write((manager) =>
      manager.query(
        `INSERT INTO wiki_version (wiki_id, version, name, content, created_user_id, created)
         VALUES ${versions.map(() => '(?, ?, ?, ?, ?, ?)').join(', ')}`,
        versions.flat(),
      ),
    );

    // Without their own removers the pages would go with the project's row.
    removal.register('issues', () => Promise.reject(new Error('That is far enough.')));
    await world.dataSource.query('UPDATE project SET deleted = 1 WHERE id = ?', [project.id]);
    removal.start();
    await removal.whenIdle();

    await world.service(AttachmentsService).whenIdle();
    const after = await everythingStored(world);
    for (const table of TABLES) expect([table, after[table]]).toEqual([table, before[table]]);
  });
});
