import { rename } from 'node:fs/promises';
import { Logger } from '@nestjs/common';
import { S3_KEY, useS3Server } from '../../test/support/s3-server';
import { everythingStored } from '../../test/support/records';
import { errorShape } from '../../test/support/shapes';
import { type Person, type ProjectFixture, useWorld } from '../../test/support/world';
import { Environment } from '../config/environment';
import { TransactionsService } from '../database/transactions/transactions.service';
import { AttachmentsService } from './attachments.service';
import { FileStorage } from './file-storage';

describe.each(['a folder', 'a bucket'])(`${AttachmentsService.name} with %s`, (kind) => {
  const s3 = useS3Server();
  const tested = useWorld(() => (kind === 'a folder' ? {} : { STORAGE_URL: s3().url(), ...S3_KEY }));
  let project: ProjectFixture;
  let member: Person;
  let storage: FileStorage;

  beforeAll(async () => {
    project = await tested.world.addProject();
    member = await tested.world.addMember(project);
    storage = tested.world.server.app.get<FileStorage>(FileStorage, { strict: false });
    await tested.world.stopDeliveries();
  });
  afterEach(() => vi.restoreAllMocks());

  /** Attaches a file and returns its path. */
  const attach = async (): Promise<string> => {
    const id = await tested.world.addUpload(member);
    const path = `/wikis/${project.wikiId}/attachments`;
    await member.api.post(path, { attachmentId: [id] });
    return `${path}/${id}`;
  };

  /** Runs a function between reading a file's row and opening the file. */
  const beforeReading = (happening: () => Promise<unknown>): void => {
    vi.spyOn(storage, 'read').mockImplementationOnce(async (key) => {
      await happening();
      return storage.read(key);
    });
  };

  it('answers 404 to a download whose file is removed meanwhile', async () => {
    const path = await attach();
    beforeReading(async () => {
      await member.api.delete(path);
      await tested.world.whenIdle();
    });
    const { status, body } = await member.api.get(path);
    expect(status).toBe(404);
    expect(body).toEqual(errorShape(6));
  });

  it('answers 404 and logs an error when the bytes of a file are lost', async () => {
    const path = await attach();
    const read = vi.spyOn(storage, 'read').mockImplementationOnce(async (key) => {
      await storage.remove(key);
      return storage.read(key);
    });
    const log = vi.spyOn(Logger.prototype, 'error');
    const { status, body } = await member.api.get(path);
    expect(status).toBe(404);
    expect(body).toEqual(errorShape(6));
    const [[key] = ['']] = read.mock.calls;
    expect(log.mock.calls).toEqual([[expect.stringMatching(new RegExp(`lost.*${key}`))]]);
  });

  /** Makes the storage unavailable, and returns a function that restores it. */
  const takeStorageAway = async (): Promise<() => Promise<void>> => {
    const { storageLocation: location } = tested.world.service(Environment);
    if (location.type === 'bucket') {
      await s3().shut();
      return () => s3().open();
    }
    await rename(location.path, `${location.path}-elsewhere`);
    return () => rename(`${location.path}-elsewhere`, location.path);
  };

  it('answers 503 while its storage is unavailable, then recovers', async () => {
    const path = await attach();
    const bringBack = await takeStorageAway();
    const before = await everythingStored(tested.world);
    for (const { status, body, headers } of [await member.api.get(path), await member.api.upload('x')]) {
      expect(status).toBe(503);
      expect(body).toEqual(errorShape(1));
      expect(headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    }
    expect(await everythingStored(tested.world)).toEqual(before);
    await bringBack();
    expect((await member.api.get(path)).status).toBe(200);
  });

  it.each(['ENOSPC', 'EROFS', 'EACCES', 'EIO', 'EMFILE'])(
    'answers 503 to an upload whose write fails with %s, and stores nothing',
    async (code) => {
      const before = await everythingStored(tested.world);
      vi.spyOn(storage, 'write').mockImplementationOnce((_key, content) => {
        content.resume();
        return Promise.reject(Object.assign(new Error(`${code}: for a test, write`), { code }));
      });
      const { status, body, text, headers } = await member.api.upload('x');
      expect(status).toBe(503);
      expect(body).toEqual(errorShape(1));
      expect(text).not.toContain(code);
      expect(headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
      expect(await everythingStored(tested.world)).toEqual(before);
      expect((await member.api.upload('x')).status).toBe(200);
    },
  );

  it('marks a failed upload that it cannot remove as expired', async () => {
    const failure = Object.assign(new Error('EIO: for a test'), { code: 'EIO' });
    vi.spyOn(storage, 'write').mockImplementationOnce((_key, content) => {
      content.resume();
      return Promise.reject(failure);
    });
    vi.spyOn(storage, 'remove').mockRejectedValueOnce(failure);
    expect((await member.api.upload('x')).status).toBe(503);
    const { attachment } = await everythingStored(tested.world);
    expect(attachment?.at(-1)).toMatchObject({ stored: 0, created: 0 });
    await tested.world.service(AttachmentsService).removeExpired();
    expect((await everythingStored(tested.world)).attachment).toEqual(attachment?.slice(0, -1));
  });

  it('answers 503 when reading fails with EMFILE, although the file is removed', async () => {
    const path = await attach();
    beforeReading(async () => {
      await member.api.delete(path);
      throw Object.assign(new Error('Too many open files.'), { code: 'EMFILE' });
    });
    expect((await member.api.get(path)).status).toBe(503);
  });

  it('removes an upload and frees its space when its COMMIT gets no answer', async () => {
    const before = await everythingStored(tested.world);
    const transactions = tested.world.service(TransactionsService);
    const run = transactions.run.bind(transactions);
    vi.spyOn(transactions, 'run')
      .mockImplementationOnce(run)
      .mockImplementationOnce(async (work) => {
        await run(work);
        throw Object.assign(new Error('Connection lost.'), { code: 'PROTOCOL_CONNECTION_LOST' });
      });
    const remove = vi.spyOn(storage, 'remove');
    const answer = await member.api.upload('x'.repeat(1000));
    expect(answer.status).toBe(503);
    expect(remove).toHaveBeenCalledTimes(1);
    expect(await everythingStored(tested.world)).toEqual(before);
  });
});
