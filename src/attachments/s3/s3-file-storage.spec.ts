import { once } from 'node:events';
import { Readable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { type Fault, S3_KEY, useS3Server } from '../../../test/support/s3-server';
import { StorageFailedError, UncertainWriteError } from '../file-storage';
import { type BucketLocation, parseStorageUrl } from '../../config/storage-url';
import { S3Client, type S3Timing } from './s3-client';
import { S3FileStorage } from './s3-file-storage';

/** Longer than a busy machine takes for any call. */
const TIMING = { silence: 60_000, call: 60_000, pause: 1 };
/** undici checks its timeouts only twice a second. */
const SILENCE_MS = 500;
const CALL_MS = 1500;
const KEY = { accessKeyId: S3_KEY.AWS_ACCESS_KEY_ID, secretAccessKey: S3_KEY.AWS_SECRET_ACCESS_KEY };
const DAY_MS = 86_400_000;
const error = (status: number, code: string): Fault => ({ kind: 'error', status, code });

describe(S3FileStorage.name, () => {
  const s3 = useS3Server();
  let storage: S3FileStorage;

  const at = (url: string, key = KEY, timing: Partial<S3Timing> = {}): S3FileStorage =>
    new S3FileStorage(parseStorageUrl(url) as BucketLocation, key, { ...TIMING, ...timing });
  const write = async (content: Buffer | string, key = storage.newKey()): Promise<string> => {
    await storage.write(key, Readable.from([content], { objectMode: false }));
    return key;
  };
  /** Runs a test with limits that it waits for. */
  const withLimits = async (timing: Partial<S3Timing>, test: () => Promise<void>) => {
    const usual = storage;
    storage = at(s3().url(), KEY, timing);
    try {
      await test();
    } finally {
      await storage.close();
      storage = usual;
    }
  };
  const callsOf = (method: string): number => s3().calls.filter((call) => call.startsWith(method)).length;

  beforeAll(() => (storage = at(s3().url())));
  afterAll(() => storage.close());

  describe('on a failed request', () => {
    it.each<[string, Fault]>([
      ['a 500 InternalError', error(500, 'InternalError')],
      ['a 503 SlowDown', error(503, 'SlowDown')],
      ['a 429 TooManyRequests', error(429, 'TooManyRequests')],
      ['a broken connection', { kind: 'cut-request' }],
      ['a lost response', { kind: 'lost-answer' }],
    ])('retries after %s', async (_what, fault) => {
      for (const method of ['PUT', 'GET', 'DELETE']) {
        const content = Buffer.alloc(300_000, 'x');
        const key = await write(content);
        s3().reset();
        s3().failNext(method, fault);
        if (method === 'PUT') await write(content, key);
        if (method !== 'DELETE') expect((await buffer(await storage.read(key))).equals(content)).toBe(true);
        else await storage.remove(key);
        expect(callsOf(method)).toBe(2);
      }
    });

    it('retries a write without a response', () =>
      withLimits({ silence: SILENCE_MS }, async () => {
        s3().failNext('PUT', { kind: 'silence' });
        const key = await write('content');
        expect(callsOf('PUT')).toBe(2);
        expect(await text(await storage.read(key))).toBe('content');
      }));

    it.each([1, 2])('succeeds after %d failed attempts and fails after 3', async (failures) => {
      s3().failNext('PUT', error(500, 'InternalError'), failures);
      const key = await write('content');
      expect(callsOf('PUT')).toBe(failures + 1);
      expect(await text(await storage.read(key))).toBe('content');
      s3().failNext('PUT', error(500, 'InternalError'), 3);
      await expect(write('content')).rejects.toThrow('S3 answered 500 InternalError');
    });

    it.each([error(403, 'AccessDenied'), error(400, 'BadDigest'), error(404, 'NoSuchBucket')])(
      'fails without a retry after %j',
      async (fault) => {
        s3().failNext('PUT', fault);
        await expect(write('content')).rejects.toThrow(StorageFailedError);
        expect(callsOf('PUT')).toBe(1);
      },
    );
  });

  describe('on a failed write', () => {
    const failed = async (fault: Fault): Promise<unknown> => {
      s3().failNext('PUT', fault, 3);
      return write('content').catch((reason: unknown) => reason);
    };

    it.each<Fault>([{ kind: 'lost-answer' }, { kind: 'cut-request' }, error(500, 'InternalError')])(
      'throws UncertainWriteError after %j',
      async (fault) => {
        expect(await failed(fault)).toBeInstanceOf(UncertainWriteError);
      },
    );

    it('throws StorageFailedError, not UncertainWriteError, after a refusal', async () => {
      const reason = await failed(error(403, 'AccessDenied'));
      expect(reason).toBeInstanceOf(StorageFailedError);
      expect(reason).not.toBeInstanceOf(UncertainWriteError);
    });

    it('throws UncertainWriteError when a refusal follows a lost response', async () => {
      const faults = [{ kind: 'lost-answer' } as Fault, error(403, 'AccessDenied')];
      s3().fault = () => faults.shift();
      await expect(write('content')).rejects.toThrow(UncertainWriteError);
    });

    it('throws no UncertainWriteError while the server is down, and recovers', async () => {
      await s3().shut();
      const reason = await write('content').catch((cause: unknown) => cause);
      expect(reason).toMatchObject({ message: 'S3 did not answer (ECONNREFUSED)' });
      expect(reason).not.toBeInstanceOf(UncertainWriteError);
      await s3().open();
      await write('content');
    });

    it('throws UncertainWriteError at the time limit of the call on a silent server', () =>
      withLimits({ call: CALL_MS }, async () => {
        s3().fault = () => ({ kind: 'silence' });
        await expect(write('content')).rejects.toThrow(UncertainWriteError);
        expect(callsOf('PUT')).toBe(1);
      }));
  });

  describe('on a read', () => {
    it('fails when the response is cut off', async () => {
      const key = await write(Buffer.alloc(500_000));
      s3().failNext('GET', { kind: 'cut-answer', after: 1000 });
      await expect(buffer(await storage.read(key))).rejects.toThrow();
    });

    it('serves a reader slower than its time limits', async () => {
      const content = Buffer.alloc(8_000_000, 'x');
      const key = await write(content);
      await withLimits({ silence: SILENCE_MS, call: CALL_MS }, async () => {
        const stream = await storage.read(key);
        const chunks = [((await once(stream, 'data')) as [Buffer])[0]];
        stream.pause();
        await new Promise((resolve) => setTimeout(resolve, CALL_MS + SILENCE_MS));
        for await (const chunk of stream) chunks.push(chunk as Buffer);
        expect(Buffer.concat(chunks).equals(content)).toBe(true);
      });
    });

    it('fails before the first byte when the server answers an error', async () => {
      const key = await write('content');
      s3().failNext('GET', error(403, 'AccessDenied'));
      await expect(storage.read(key)).rejects.toThrow('S3 answered 403 AccessDenied');
      s3().failNext('GET', error(404, 'NoSuchBucket'));
      await expect(storage.read(key)).rejects.toThrow('S3 answered 404 NoSuchBucket');
      s3().failNext('GET', error(404, 'NoSuchKey'));
      await expect(storage.read(key)).rejects.toMatchObject({ code: 'ENOENT' });
    });
  });

  describe('on putAside', () => {
    let client: S3Client;

    beforeAll(() => (client = new S3Client(parseStorageUrl(s3().url()) as BucketLocation, KEY, TIMING)));
    afterAll(() => client.close());

    const orphan = async (key: string): Promise<string> =>
      (await client.send({ method: 'GET', object: `orphans/${key}` })).text;

    it('keeps the orphaned file for 30 days', async () => {
      const key = await write('content');
      await storage.putAside(key);
      expect(await storage.size(key)).toBeUndefined();
      await storage.removeOrphans(Date.now() + 29 * DAY_MS);
      expect(await orphan(key)).toBe('content');
      await storage.removeOrphans(Date.now() + 31 * DAY_MS);
      await expect(orphan(key)).rejects.toThrow('NoSuchKey');
    });

    it('copies nothing for a missing file', async () => {
      await storage.putAside(storage.newKey());
      expect(callsOf('PUT')).toBe(0);
    });

    it.each([error(500, 'InternalError'), error(200, 'InternalError')])(
      'leaves the file in place when its copy fails with %j',
      async (fault) => {
        const key = await write('content');
        s3().failNext('PUT', fault, 3);
        await expect(storage.putAside(key)).rejects.toThrow('S3 answered 500 InternalError');
        expect(await text(await storage.read(key))).toBe('content');
      },
    );
  });

  it('rejects a removal that the server answers with NoSuchBucket', async () => {
    s3().failNext('DELETE', error(404, 'NoSuchBucket'));
    await expect(storage.remove(storage.newKey())).rejects.toThrow('NoSuchBucket');
  });

  it('lists only its own objects, across several responses', async () => {
    const part = new S3FileStorage(parseStorageUrl(s3().url('/long')) as BucketLocation, KEY, TIMING, 2);
    const other = at(s3().url('/long/partial'));
    const foreign = at(s3().url('/long/zzz'));
    const keys: string[] = [];
    for (let n = 0; n < 5; n++) {
      const key = part.newKey();
      keys.push(key);
      await part.write(key, Readable.from(['x']));
    }
    await other.write(other.newKey(), Readable.from(['x']));
    await foreign.write(foreign.newKey(), Readable.from(['x']));
    const found: string[] = [];
    for await (const { key } of part.list()) found.push(key);
    expect(found).toEqual(keys.sort());
    for (const opened of [part, other, foreign]) await opened.close();
  });

  describe('at a start', () => {
    const refusal = async (url: string, key = KEY, isInUse = false): Promise<string> => {
      const opened = at(url, key);
      const message = await opened.prepare(isInUse).then(
        () => '',
        (reason: unknown) => (reason as Error).message,
      );
      await opened.close();
      return message;
    };

    it('leaves no object behind', async () => {
      expect(await refusal(s3().url('/new'))).toBe('');
      expect(await refusal(s3().url('/new'), KEY, true)).toMatch(/^The database has files, but .*"new\/".*$/);
    });

    it.each([
      ['a missing bucket', () => refusal(s3().url('', 'other')), 'S3 answered 404 NoSuchBucket'],
      [
        'an unknown access key',
        () => refusal(s3().url(), { ...KEY, accessKeyId: 'OTHER' }),
        'S3 answered 403 InvalidAccessKeyId',
      ],
      [
        'a wrong secret key',
        () => refusal(s3().url(), { ...KEY, secretAccessKey: 'other-secret' }),
        'S3 answered 403 SignatureDoesNotMatch',
      ],
      [
        'an unreachable server',
        () => refusal('s3://files?endpoint=http://127.0.0.1:1'),
        'S3 did not answer (ECONNREFUSED)',
      ],
    ])('refuses %s with a one-line message', async (_what, start, why) => {
      const message = await start();
      expect(message).toMatch(
        /^Files cannot be stored in the bucket \w+ of STORAGE_URL at http:\/\/[\w.:]+: .*\.$/,
      );
      expect(message).toContain(why);
      expect(message).not.toContain('other-secret');
    });

    it('refuses a wrong region and names the region of the bucket', async () => {
      s3().fault = () => ({
        kind: 'error',
        status: 301,
        code: 'PermanentRedirect',
        bucketRegion: 'eu-west-1',
      });
      expect(await refusal(s3().url())).toMatch(
        /S3 answered 301 PermanentRedirect; the region of the bucket is eu-west-1\.$/,
      );
    });

    it.each(['PUT', 'GET', 'DELETE'])('refuses credentials without the permission to %s', async (method) => {
      const isObject = (path: string): boolean => path.includes('/probe');
      s3().fault = (given, path) =>
        given === method && isObject(path) ? error(403, 'AccessDenied') : undefined;
      expect(await refusal(s3().url('/denied'))).toContain('S3 answered 403 AccessDenied');
    });
  });
});
