import { parseUrl } from './parse-url';

/** A folder that files are stored in. */
export interface FolderLocation {
  type: 'folder';
  path: string;
}

/** A bucket that files are stored in, on a server with the protocol of Amazon S3. */
export interface BucketLocation {
  type: 'bucket';
  bucket: string;
  /** Prefix of the names of all objects: `''` or a text that ends with a slash. */
  prefix: string;
  /** Address of the server, without a slash at its end. */
  endpoint: string;
  region: string;
  /** Whether the bucket is in the path instead of the host name. */
  isPathStyle: boolean;
}

const BUCKET_URL =
  /^s3:\/\/([a-z\d][a-z\d.-]{1,61}[a-z\d])((?:\/(?!\.{1,2}(?:[/?]|$))[\w.-]+)*)\/?(?:\?([^#]*))?$/;
const REGION = /^[a-z\d-]{1,64}$/i;
const PARAMETERS = new Set(['endpoint', 'region', 'path-style']);
const DEFAULT_REGION = 'us-east-1';

/**
 * Parses `file:PATH` or `s3://BUCKET/PREFIX?endpoint=https://HOST&region=REGION&path-style=true`.
 * @returns undefined when the text is not such a URL
 */
export function parseStorageUrl(text: string): FolderLocation | BucketLocation | undefined {
  if (/^file:./.test(text)) return { type: 'folder', path: text.slice('file:'.length) };
  const [, bucket, path = '', query = ''] = BUCKET_URL.exec(text) ?? [];
  if (bucket === undefined) return undefined;
  const parameters = new URLSearchParams(query);
  if ([...parameters.keys()].some((key) => !PARAMETERS.has(key))) return undefined;
  const region = parameters.get('region') ?? DEFAULT_REGION;
  const given = parameters.get('endpoint');
  const endpoint = readEndpoint(given ?? `https://s3.${region}.amazonaws.com`);
  // Servers other than Amazon's rarely have a host name for each bucket.
  const pathStyle = parameters.get('path-style') ?? String(given !== null);
  if (!REGION.test(region) || endpoint === undefined || !['true', 'false'].includes(pathStyle))
    return undefined;
  return {
    type: 'bucket',
    bucket,
    prefix: path === '' ? '' : `${path.slice(1)}/`,
    endpoint,
    region,
    isPathStyle: pathStyle === 'true',
  };
}

function readEndpoint(text: string): string | undefined {
  const url = parseUrl(text);
  if (!url || !['http:', 'https:'].includes(url.protocol)) return undefined;
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') return undefined;
  if (!/^[\w./-]*$/.test(url.pathname)) return undefined;
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}

/** Description of a `STORAGE_URL`, for messages. */
export const STORAGE_URL_FORM =
  'file:PATH, or s3://BUCKET/PREFIX with no other options than ?endpoint=https://HOST, ?region=REGION and ?path-style=true';

/** Whether a text is a `STORAGE_URL`. */
export const isStorageUrl = (text: string): boolean => parseStorageUrl(text) !== undefined;
