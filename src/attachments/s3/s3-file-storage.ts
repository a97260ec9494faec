import { PassThrough, pipeline, Readable } from 'node:stream';
import { type BucketLocation } from '../../config/storage-url';
import {
  FileStorage,
  isKey,
  NoFileError,
  objectName,
  ORPHAN_DAYS,
  type StoredFile,
  UncertainWriteError,
} from '../file-storage';
import { type ListedObject, readObjectList } from './object-list';
import { S3Client, type S3Credentials, type S3Timing } from './s3-client';
import { S3Error } from './s3-error';
import { Spool } from './spool';

/** Stores files in a bucket of Amazon S3 or a compatible server: `STORAGE_URL=s3://BUCKET`. */
export class S3FileStorage extends FileStorage {
  private readonly client: S3Client;

  constructor(
    private readonly location: BucketLocation,
    credentials: S3Credentials,
    timing?: S3Timing,
    private readonly pageSize = 1000,
  ) {
    super();
    this.client = new S3Client(location, credentials, timing);
  }

  override async prepare(isInUse: boolean): Promise<void> {
    const { bucket, prefix } = this.location;
    try {
      const { objects } = await this.findObjects(prefix, '', 1);
      if (isInUse && objects.length === 0) {
        throw new Error(
          `The database has files, but the bucket ${bucket} of STORAGE_URL has no objects whose names begin with ` +
            `"${prefix}". Restore them; to continue without the files, add an object named ${prefix}.keep.`,
        );
      }
      await this.writeTestObject();
    } catch (error) {
      if (!(error instanceof S3Error)) throw error;
      throw new Error(
        `Files cannot be stored in the bucket ${bucket} of STORAGE_URL at ${this.location.endpoint}: ${error.message}.`,
        { cause: error },
      );
    }
  }

  override async check(): Promise<void> {
    await this.client.send({ method: 'HEAD' });
  }

  override probe(): Promise<void> {
    // Does not write, because writing every few seconds would cost money.
    return this.check();
  }

  override async write(key: string, content: Readable): Promise<number> {
    const spool = await Spool.of(content);
    try {
      await this.client.send({ method: 'PUT', object: this.nameOf(key), content: spool });
      return spool.size;
    } catch (error) {
      if (error instanceof S3Error && error.isUncertain) {
        throw new UncertainWriteError(error.message, { cause: error });
      }
      throw error;
    } finally {
      await spool.close();
    }
  }

  override async read(key: string, signal?: AbortSignal): Promise<Readable> {
    let body: Readable;
    try {
      body = await this.client.open({ method: 'GET', object: this.nameOf(key) }, signal);
    } catch (error) {
      if (error instanceof S3Error && error.isNoObject) throw new NoFileError(`The bucket has no ${key}.`);
      throw error;
    }
    // A body that is destroyed unread emits an error, possibly without a listener.
    return pipeline(body, new PassThrough(), () => undefined);
  }

  override async remove(key: string): Promise<void> {
    try {
      await this.client.send({ method: 'DELETE', object: this.nameOf(key) });
    } catch (error) {
      if (!isNoFile(error)) throw error;
    }
  }

  override async putAside(key: string): Promise<void> {
    const size = await this.size(key);
    if (size === undefined) return;
    const source = { object: this.nameOf(key), size };
    await this.client.send({ method: 'PUT', object: this.orphanFolder + key, source });
    await this.remove(key);
  }

  override async removeOrphans(now = Date.now()): Promise<void> {
    for await (const { name, written } of this.objectsIn(this.orphanFolder)) {
      if (!isKey(name.slice(this.orphanFolder.length))) continue;
      if (now - written >= ORPHAN_DAYS * 86_400_000) {
        await this.client.send({ method: 'DELETE', object: name });
      }
    }
  }

  override async size(key: string): Promise<number | undefined> {
    try {
      const { headers } = await this.client.send({ method: 'HEAD', object: this.nameOf(key) });
      return Number(headers['content-length']);
    } catch (error) {
      if (isNoFile(error)) return undefined;
      throw error;
    }
  }

  override async writtenAt(key: string): Promise<number | undefined> {
    try {
      const { headers } = await this.client.send({ method: 'HEAD', object: this.nameOf(key) });
      return Date.parse(String(headers['last-modified']));
    } catch (error) {
      if (isNoFile(error)) return undefined;
      throw error;
    }
  }

  override async *list(): AsyncGenerator<StoredFile> {
    for await (const { name, size } of this.objectsIn(this.location.prefix)) {
      const key = name.slice(name.lastIndexOf('/') + 1);
      if (isKey(key) && name === this.nameOf(key)) yield { key, size };
    }
  }

  override close(): Promise<void> {
    return this.client.close();
  }

  /** Writes, reads and removes a small object, so that a missing permission is found at startup. */
  private async writeTestObject(): Promise<void> {
    // Uses a fixed name, so that killed processes leave at most one object.
    const object = `${this.location.prefix}partial/probe`;
    const spool = await Spool.of(Readable.from([Buffer.alloc(16)]));
    try {
      await this.client.send({ method: 'PUT', object, content: spool });
      await this.client.send({ method: 'GET', object }).catch((error: unknown) => {
        // Another process may have removed the object.
        if (!(error instanceof S3Error && error.isNoObject)) throw error;
      });
      await this.client.send({ method: 'DELETE', object });
    } finally {
      await spool.close();
    }
  }

  private async *objectsIn(prefix: string): AsyncGenerator<ListedObject> {
    let after = '';
    for (;;) {
      const { objects, isTruncated } = await this.findObjects(prefix, after, this.pageSize);
      yield* objects;
      const last = objects.at(-1)?.name;
      if (!isTruncated || last === undefined) return;
      if (last === after) throw new S3Error('S3 listed the same objects twice');
      after = last;
    }
  }

  private async findObjects(
    prefix: string,
    after: string,
    limit: number,
  ): Promise<{ objects: ListedObject[]; isTruncated: boolean }> {
    const { text } = await this.client.send({
      method: 'GET',
      query: {
        // ListObjects can continue after a name, so the tokens of ListObjectsV2 have no advantage.
        ...(after !== '' && { marker: after }),
        'max-keys': String(limit),
        prefix,
      },
    });
    return readObjectList(text);
  }

  private get orphanFolder(): string {
    return `${this.location.prefix}orphans/`;
  }

  private nameOf(key: string): string {
    return this.location.prefix + objectName(key);
  }
}

const isNoFile = (error: unknown): boolean =>
  error instanceof NoFileError || (error instanceof S3Error && error.isNoObject);
