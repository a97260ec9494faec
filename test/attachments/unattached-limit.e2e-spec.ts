import { setImmediate as nextTurn } from 'node:timers/promises';
import { AttachmentsService } from '../../src/attachments/attachments.service';
import { everythingStored } from '../support/records';
import { errorShape } from '../support/shapes';
import { Wire } from '../support/wire';
import { type Person, type ProjectFixture, useWorld } from '../support/world';

const MAX_FILES = 5;
const SIZE = 40_000;
const TIMES = 50;
const HOUR_MS = 3_600_000;

/** Returns the number of responses by status. */
function countsOf(answers: { status: number }[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

describe.each([
  ['number', { MAX_UNATTACHED_FILES: String(MAX_FILES), MAX_USER_REQUESTS: '0' }, 409, 9],
  ['size', { MAX_UNATTACHED_BYTES: String(MAX_FILES * SIZE), MAX_USER_REQUESTS: '0' }, 413, 8],
])('the limit on the %s of unattached files of a user', (_what, environment, status, code) => {
  const tested = useWorld(environment);
  let project: ProjectFixture;
  let member: Person;

  beforeEach(async () => {
    project = await tested.world.addProject();
    member = await tested.world.addMember(project);
  });

  const upload = () => member.api.upload<{ id: number }>('x'.repeat(SIZE));

  const fill = async (): Promise<number[]> => {
    const ids: number[] = [];
    for (let count = 0; count < MAX_FILES; count++) ids.push((await upload()).body.id);
    return ids;
  };

  it('refuses an upload beyond it and stores nothing', async () => {
    const { world } = tested;
    await fill();
    const before = await everythingStored(world);
    const answer = await upload();
    expect(answer.status).toBe(status);
    expect(answer.body).toEqual(errorShape(code));
    expect(await everythingStored(world)).toEqual(before);
    // The limit applies per user.
    expect((await world.admin.api.upload('x')).status).toBe(200);
  });

  it('holds exactly for fifty simultaneous uploads', async () => {
    const answers = await Promise.all(Array.from({ length: TIMES }, upload));
    expect(countsOf(answers)).toEqual({ 200: MAX_FILES, [status]: TIMES - MAX_FILES });
  });

  it('admits another upload when a file is attached or expires', async () => {
    const { world } = tested;
    const [one, other] = await fill();
    expect((await upload()).status).toBe(status);
    await member.api.post(`/wikis/${project.wikiId}/attachments`, { attachmentId: [one] });
    expect((await upload()).status).toBe(200);
    expect((await upload()).status).toBe(status);
    await world.dataSource.query('UPDATE attachment SET created = ? WHERE id = ?', [
      Date.now() - HOUR_MS,
      other,
    ]);
    expect((await upload()).status).toBe(200);
    expect((await upload()).status).toBe(status);
  });

  it('excludes removed attachments and failed uploads', async () => {
    const [id] = await fill();
    const path = `/wikis/${project.wikiId}/attachments`;
    await member.api.post(path, { attachmentId: [id] });
    expect((await member.api.delete(`${path}/${id}`)).status).toBe(200);
    expect((await member.api.upload('x', ' ')).status).toBe(400);
    expect((await upload()).status).toBe(200);
    expect((await upload()).status).toBe(status);
  });
});

describe('POST /space/attachment with a Content-Length', () => {
  const tested = useWorld({ MAX_UNATTACHED_BYTES: String(5 * SIZE) });

  let wire: Wire;

  beforeEach(async () => {
    wire = await Wire.open(tested.world.server.baseUrl);
  });
  afterEach(() => {
    wire.close();
    vi.restoreAllMocks();
  });

  it('answers 413 to a length beyond the limit before the content arrives', async () => {
    const { world } = tested;
    const member = await world.addUser();
    const before = await everythingStored(world);
    const storage = vi.spyOn(world.service(AttachmentsService), 'store');
    wire.request('POST', '/api/v2/space/attachment', {
      'X-API-Key': member.key,
      'Content-Type': 'multipart/form-data; boundary=b',
      'Content-Length': String(10 * SIZE),
    });
    wire.send('--b\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nx');
    const answer = await wire.answer();
    expect(answer?.status).toBe(413);
    expect(JSON.parse(answer?.body ?? '')).toEqual(errorShape(8));
    expect(storage).toHaveBeenCalledTimes(1);
    expect(await everythingStored(world)).toEqual(before);
  });

  it('reserves the announced length while the upload is under way', async () => {
    const { world } = tested;
    const member = await world.addUser();
    const store = vi.spyOn(world.service(AttachmentsService), 'store');
    wire.request('POST', '/api/v2/space/attachment', {
      'X-API-Key': member.key,
      'Content-Type': 'multipart/form-data; boundary=b',
      'Content-Length': String(5 * SIZE),
    });
    wire.send('--b\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nx');
    const stored = async (): Promise<unknown[]> =>
      world.dataSource.query<unknown[]>('SELECT id FROM attachment WHERE created_user_id = ?', [member.id]);
    while ((await stored()).length === 0) await nextTurn();
    expect((await member.api.upload('x'.repeat(2 * SIZE))).status).toBe(413);
    wire.close();
    await store.mock.results[0]?.value.catch(() => undefined);
    expect(await stored()).toEqual([]);
    expect((await member.api.upload('x'.repeat(5 * SIZE))).status).toBe(200);
  });
});
