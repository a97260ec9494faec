import { type Environment } from '../config/environment';
import { type FileStorage } from './file-storage';
import { LocalFileStorage } from './local-file-storage';
import { S3FileStorage } from './s3/s3-file-storage';

/** Opens the storage of `STORAGE_URL`. */
export function openStorage(environment: Environment): FileStorage {
  const { storageLocation: location, AWS_ACCESS_KEY_ID = '', AWS_SECRET_ACCESS_KEY = '' } = environment;
  if (location.type === 'folder') return new LocalFileStorage(location.path);
  return new S3FileStorage(location, {
    accessKeyId: AWS_ACCESS_KEY_ID,
    secretAccessKey: AWS_SECRET_ACCESS_KEY,
  });
}
