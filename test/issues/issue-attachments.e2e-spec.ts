import { readdir } from 'node:fs/promises';
import { Environment } from '../../src/config/environment';
import { activitiesOf, usedBytes } from '../support/records';
import { aTimestamp, issueCommentShape, errorShape, userShape } from '../support/shapes';
import { type Person, type ProjectFixture, useWorld } from '../support/world';

describe('/issues/{issueIdOrKey}/attachments', () => {
  const tested = useWorld();
  let project: ProjectFixture;
  let member: Person;
  let list: string;
  let comments: string;

  beforeEach(async () => {
    const { world } = tested;
    project = await world.addProject();
    member = await world.addMember(project);
    list = `/issues/${project.issueKey}/attachments`;
    comments = `/issues/${project.issueKey}/comments`;
  });

  const attach = async (content = 'content', name = 'file.txt'): Promise<number> => {
    const id = await tested.world.addUpload(member, content, name);
    await member.api.post(comments, { content: 'See the file', attachmentId: [id] });
    return id;
  };

  const fileShape = (id: number, name: string, size: number): object => ({
    id,
    name,
    size,
    createdUser: userShape(member),
    created: aTimestamp,
  });

  it('lists the files oldest first', async () => {
    expect((await member.api.get(list)).body).toEqual([]);
    const first = await attach('one', 'one.txt');
    const second = await attach('three', 'größe 漢字.txt');
    const { status, body } = await member.api.get(list);
    expect(status).toBe(200);
    expect(body).toEqual([fileShape(first, 'one.txt', 3), fileShape(second, 'größe 漢字.txt', 5)]);
  });

  it('downloads a file under its name', async () => {
    const id = await attach('ä, 漢字', 'größe 漢字.txt');
    const { status, headers, bytes } = await member.api.download(`${list}/${id}`);
    expect(status).toBe(200);
    expect(bytes.toString()).toBe('ä, 漢字');
    expect(headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(headers.get('content-disposition')).toBe(
      `attachment; filename*=UTF-8''${encodeURIComponent('größe 漢字.txt')}`,
    );
  });

  it.each([
    ['error.log', 'text/plain; charset=utf-8'],
    ['data.csv', 'text/csv'],
    ['data.json', 'application/json'],
    ['report.pdf', 'application/pdf'],
    ['photo.png', 'image/png'],
    ['page.html', 'text/plain; charset=utf-8'],
    ['drawing.svg', 'text/plain; charset=utf-8'],
    ['feed.xml', 'text/plain; charset=utf-8'],
    ['unknown', 'application/octet-stream'],
  ])('downloads %s with a safe content type and security headers', async (name, type) => {
    const id = await attach('<script>alert(1)</script>', name);
    for (const method of ['GET', 'HEAD']) {
      const { status, headers } = await member.api.send(method, `${list}/${id}`);
      expect(status).toBe(200);
      expect(Object.fromEntries(headers)).toMatchObject({
        'content-type': type,
        'content-disposition': `attachment; filename*=UTF-8''${name}`,
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
        'x-content-type-options': 'nosniff',
      });
    }
  });

  it('answers 404 for a file that is not attached to the issue', async () => {
    const { world } = tested;
    const unattached = await world.addUpload(member);
    const onWiki = await world.addUpload(member);
    await member.api.post(`/wikis/${project.wikiId}/attachments`, { attachmentId: [onWiki] });
    for (const id of [unattached, onWiki, 999_999]) {
      for (const method of ['GET', 'DELETE']) {
        const answer = await member.api.send(method, `${list}/${id}`);
        expect(answer.status).toBe(404);
        expect(answer.body).toEqual(errorShape(6));
      }
    }
  });

  describe('DELETE /issues/{issueIdOrKey}/attachments/{attachmentId}', () => {
    it('returns the file, writes a comment and activity 2, and sets updatedUser of the issue', async () => {
      const { world } = tested;
      const id = await attach('one', 'one.txt');
      const kept = await attach();
      await world.dataSource.query('UPDATE issue SET summary = ?, updated = 0 WHERE id = ?', [
        'As it is now',
        project.issueId,
      ]);
      const developer = await world.addMember(project);
      const { status, body } = await developer.api.delete(`${list}/${id}`);
      expect(status).toBe(200);
      expect(body).toEqual(fileShape(id, 'one.txt', 3));
      expect((await member.api.get(list)).body).toMatchObject([{ id: kept }]);
      expect((await member.api.get(`${list}/${id}`)).status).toBe(404);
      const [comment] = (await member.api.get<{ id: number }[]>(comments)).body;
      expect(comment).toEqual(
        issueCommentShape({ projectId: project.id, issueId: project.issueId }, developer, {
          content: '',
          changeLog: [
            {
              field: 'attachment',
              newValue: '',
              originalValue: 'one.txt',
              attachmentInfo: { id, name: 'one.txt' },
              attributeInfo: null,
              notificationInfo: null,
            },
          ],
        }),
      );
      expect((await activitiesOf(world, project)).at(-1)).toEqual({
        type: 2,
        createdUserId: developer.id,
        content: {
          id: project.issueId,
          key_id: 1,
          summary: 'As it is now',
          description: 'Its description',
          comment: { id: comment?.id, content: '' },
          changes: [{ field: 'attachment', new_value: '', old_value: 'one.txt', type: 'standard' }],
          attachments: [],
          shared_files: [],
          external_file_links: [],
        },
      });
      const { body: issue } = await member.api.get(`/issues/${project.issueKey}`);
      expect(issue).toMatchObject({ updatedUser: { id: developer.id } });
      expect(issue.updated).not.toBe('1970-01-01T00:00:00Z');
    });

    it('answers 200 to one of eight simultaneous requests and 404 to the others', async () => {
      const { world } = tested;
      const id = await attach();
      const answers = await Promise.all(Array.from({ length: 8 }, () => member.api.delete(`${list}/${id}`)));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404, 404, 404, 404, 404]);
      const types = (await activitiesOf(world, project)).map(({ type }) => type);
      expect(types).toEqual([3, 2]);
    });

    it('prevents the file from being attached again', async () => {
      const id = await attach();
      await member.api.delete(`${list}/${id}`);
      const again = await member.api.post(comments, { content: 'Again', attachmentId: [id] });
      expect(again.status).toBe(400);
      expect(again.body).toEqual(errorShape(7, ['attachmentId']));
    });

    it('frees the space and removes the bytes in the background', async () => {
      const { world } = tested;
      await world.whenIdle();
      const folder = world.service(Environment).STORAGE_URL.slice('file:'.length);
      const stored = async (): Promise<unknown[]> => {
        const files = await readdir(folder, { recursive: true, withFileTypes: true });
        const rows = await world.dataSource.query<unknown[]>('SELECT id FROM attachment ORDER BY id');
        return [files.filter((file) => file.isFile()).length, rows, await usedBytes(world)];
      };
      const before = await stored();
      const id = await attach('x'.repeat(1000));
      expect(await stored()).not.toEqual(before);
      expect((await member.api.delete(`${list}/${id}`)).status).toBe(200);
      await world.whenIdle();
      expect(await stored()).toEqual(before);
    });
  });
});
