import { activitiesOf } from '../support/records';
import { aTimestamp, errorShape, userShape } from '../support/shapes';
import { type Person, type ProjectFixture, pullRequestComments, useWorld } from '../support/world';
import { NEW_PULL_REQUEST, pullRequests } from '../support/pull-requests';

describe('/pullRequests/{number}/attachments', () => {
  const tested = useWorld();
  let project: ProjectFixture;
  let author: Person;
  let colleague: Person;
  let path: string;

  beforeEach(async () => {
    const { world } = tested;
    project = await world.addProject();
    author = await world.addMember(project);
    colleague = await world.addMember(project);
    path = `${pullRequests(project)}/1`;
  });

  const fileShape = (id: number, name: string, size: number, owner: Person): object => ({
    id,
    name,
    size,
    createdUser: userShape(owner),
    created: aTimestamp,
  });

  const attach = async (person: Person, content: string, name: string): Promise<number> => {
    const id = await tested.world.addUpload(person, content, name);
    const { status } = await person.api.post(pullRequestComments(project), {
      content: 'See the file',
      attachmentId: [id],
    });
    expect(status).toBe(200);
    return id;
  };

  it('lists the files oldest first, as the pull request does', async () => {
    expect((await author.api.get(`${path}/attachments`)).body).toEqual([]);
    const first = await attach(author, 'one', 'one.txt');
    const second = await attach(colleague, 'three', 'drei.txt');
    const { status, body } = await author.api.get(`${path}/attachments`);
    expect(status).toBe(200);
    expect(body).toEqual([
      fileShape(first, 'one.txt', 3, author),
      fileShape(second, 'drei.txt', 5, colleague),
    ]);
    expect((await author.api.get(path)).body.attachments).toEqual(body);
  });

  it('downloads a file unchanged under its name', async () => {
    const id = await attach(author, 'Inhalt', 'größe.txt');
    const { status, bytes, headers } = await colleague.api.download(`${path}/attachments/${id}`);
    expect(status).toBe(200);
    expect(bytes.toString()).toBe('Inhalt');
    expect(headers.get('content-disposition')).toBe("attachment; filename*=UTF-8''gr%C3%B6%C3%9Fe.txt");
  });

  it('lets any developer delete a file, without a comment or an activity', async () => {
    const id = await attach(author, 'one', 'one.txt');
    const kept = await attach(author, 'two', 'two.txt');
    const before = await activitiesOf(tested.world, project);
    const { status, body } = await colleague.api.delete(`${path}/attachments/${id}`);
    expect(status).toBe(200);
    expect(body).toEqual(fileShape(id, 'one.txt', 3, author));
    expect((await author.api.get(`${path}/attachments`)).body).toMatchObject([{ id: kept }]);
    expect((await author.api.get(`${path}/attachments/${id}`)).status).toBe(404);
    expect(await activitiesOf(tested.world, project)).toEqual(before);
    expect((await author.api.get(`${path}/comments/count`)).body).toEqual({ count: 2 });
    const again = await author.api.post(pullRequestComments(project), { content: 'x', attachmentId: [id] });
    expect(again.body).toEqual(errorShape(7, ['attachmentId']));
  });

  it('deletes a file once under simultaneous requests', async () => {
    const id = await attach(author, 'one', 'one.txt');
    const answers = await Promise.all(
      [author, colleague, author].map(({ api }) => api.delete(`${path}/attachments/${id}`)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404]);
  });

  it('answers 404 for files of other pull requests and for unknown files', async () => {
    const { world } = tested;
    const id = await attach(author, 'one', 'one.txt');
    await author.api.post(pullRequests(project), NEW_PULL_REQUEST);
    const elsewhere = [
      `${pullRequests(project)}/2/attachments/${id}`,
      `${pullRequests(await world.addProject())}/1/attachments/${id}`,
      `${path}/attachments/999999`,
      `${path}/attachments/0`,
      `${path}/attachments/x`,
      `${path}/attachments/${await world.addUpload(world.admin)}`,
    ];
    for (const address of elsewhere) {
      for (const method of ['GET', 'DELETE']) {
        const answer = await world.admin.api.send(method, address);
        expect(answer.status).toBe(404);
        expect(answer.body).toEqual(errorShape(6));
      }
    }
  });
});
