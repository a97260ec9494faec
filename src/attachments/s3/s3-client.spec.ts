import { type BucketLocation, parseStorageUrl } from '../../config/storage-url';
import { bucketAddress } from './s3-client';

describe(bucketAddress.name, () => {
  it.each([
    ['s3://files/a?region=eu-west-1', 'https://files.s3.eu-west-1.amazonaws.com/'],
    ['s3://files?path-style=true', 'https://s3.us-east-1.amazonaws.com/files'],
    ['s3://files?endpoint=http://127.0.0.1:9000', 'http://127.0.0.1:9000/files'],
    ['s3://files?endpoint=https://example.com/storage/s3/', 'https://example.com/storage/s3/files'],
    ['s3://files?endpoint=https://example.com:8443&path-style=false', 'https://files.example.com:8443/'],
  ])('maps %s to %s', (url, address) => {
    expect(bucketAddress(parseStorageUrl(url) as BucketLocation).href).toBe(address);
  });
});
