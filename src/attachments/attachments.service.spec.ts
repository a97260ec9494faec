import { rm } from 'node:fs/promises';
import { everythingStored } from '../../test/support/records';
import { errorShape } from '../../test/support/shapes';
import { type Person, type ProjectFixture, useWorld } from '../../test/support/world';
import { Environment } from '../config/environment';
import { Transactions } from '../database/transactions';
import { AttachmentsService } from './attachments.service';
import { FileStorage, LocalFileStorage } from './file-storage';

describe(AttachmentsService.name, () => {
  const tested = useWorld();
  let project: ProjectFixture;
  let member: Person;
  let storage: FileStorage;

  beforeAll(async () => {
    project = await tested.world.addProject();
    member = await tested.world.addMember(project);
    storage = tested.world.server.app.get<FileStorage>(FileStorage, { strict: false });
    await tested.world.stopDeliveries();
  });
  afterEach(() => jest.restoreAllMocks());

  /** Attaches a file, and gives its path. */
  const attach = async (): Promise<string> => {
    const id = await tested.world.addUpload(member);
    const path = `/wikis/${project.wikiId}/attachments`;
    await member.api.post(path, { attachmentId: [id] });
    return `${path}/${id}`;
  };

  /** Has something happen between reading a file's row and opening the file. */
  const beforeReading = (happening: () => Promise<unknown>): void => {
    jest.spyOn(storage, 'read').mockImplementationOnce(async (key) => {
      await happening();
      return storage.read(key);
    });
  };

  it('finds no file that is removed while it is downloaded', async () => {
    const path = await attach();
    beforeReading(async () => {
      await member.api.delete(path);
      await tested.world.whenIdle();
    });
    const { status, body } = await member.api.get(path);
    expect(status).toBe(404);
    expect(body).toEqual(errorShape(6));
  });

  it('fails when the bytes of an attached file are not there', async () => {
    const path = await attach();
    const folder = tested.world.service(Environment).STORAGE_URL.slice('file:'.length);
    beforeReading(() => rm(folder, { recursive: true }));
    const { status, body } = await member.api.get(path);
    expect(status).toBe(500);
    expect(body).toEqual(errorShape(1));
  });

  it('fails when the file is removed, but that is not why it cannot be read', async () => {
    const path = await attach();
    beforeReading(async () => {
      await member.api.delete(path);
      throw Object.assign(new Error('Too many open files.'), { code: 'EMFILE' });
    });
    expect((await member.api.get(path)).status).toBe(500);
  });

  it('gives back all room of an upload that was stored although its COMMIT got no answer', async () => {
    const before = await everythingStored(tested.world);
    const transactions = tested.world.service(Transactions);
    const run = transactions.run.bind(transactions);
    jest
      .spyOn(transactions, 'run')
      .mockImplementationOnce(run)
      .mockImplementationOnce(async (work) => {
        await run(work);
        throw Object.assign(new Error('Connection lost.'), { code: 'PROTOCOL_CONNECTION_LOST' });
      });
    const remove = jest.spyOn(LocalFileStorage.prototype, 'remove');
    const answer = await member.api.upload('x'.repeat(1000));
    expect(answer.status).toBe(503);
    expect(remove).toHaveBeenCalledTimes(1);
    expect(await everythingStored(tested.world)).toEqual(before);
  });
});
