import { parseStorageUrl } from './storage-url';

const AMAZON = {
  type: 'bucket',
  bucket: 'files',
  prefix: '',
  endpoint: 'https://s3.us-east-1.amazonaws.com',
  region: 'us-east-1',
  isPathStyle: false,
};

describe(parseStorageUrl.name, () => {
  it.each([
    ['file:./data/files', { type: 'folder', path: './data/files' }],
    ['s3://files', AMAZON],
    ['s3://files/', AMAZON],
    ['s3://files/a/b.c', { ...AMAZON, prefix: 'a/b.c/' }],
    ['s3://files/a/', { ...AMAZON, prefix: 'a/' }],
    [
      's3://files?region=eu-central-1',
      { ...AMAZON, endpoint: 'https://s3.eu-central-1.amazonaws.com', region: 'eu-central-1' },
    ],
    ['s3://files?path-style=true', { ...AMAZON, isPathStyle: true }],
    [
      's3://files/a?endpoint=http://127.0.0.1:9000/&region=garage',
      { ...AMAZON, prefix: 'a/', endpoint: 'http://127.0.0.1:9000', region: 'garage', isPathStyle: true },
    ],
    [
      's3://files?endpoint=https%3A%2F%2Fs3.example.com%2Fstorage%2Fs3&path-style=false',
      { ...AMAZON, endpoint: 'https://s3.example.com/storage/s3' },
    ],
  ])('reads %s', (url, location) => {
    expect(parseStorageUrl(url)).toEqual(location);
  });

  it.each([
    '',
    'file:',
    './data',
    's3:files',
    's3://',
    's3://ab',
    's3://Files',
    's3://key:secret@files',
    's3://files/../other',
    's3://files/./a',
    's3://files//a',
    's3://files/a b',
    's3://files/a%2e%2e/b',
    's3://files#a',
    's3://files?endpoint=ftp://host',
    's3://files?endpoint=https://key:secret@host',
    's3://files?endpoint=https://host?x=1',
    's3://files?endpoint=host',
    's3://files?region=a/b',
    's3://files?region=',
    's3://files?path-style=yes',
    's3://files?secret=x',
  ])('refuses %s', (url) => {
    expect(parseStorageUrl(url)).toBeUndefined();
  });
});
