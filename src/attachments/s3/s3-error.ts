import { StorageFailedError } from '../file-storage';

const UNSENT_REQUEST_CODES = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT']);

/** An error response of an S3 server, or a missing response. */
export class S3Error extends StorageFailedError {
  /** Whether the server may have executed the request. */
  isUncertain: boolean;

  /**
   * @param status HTTP status; undefined when there was no response
   * @param code the error code of the server, such as `NoSuchBucket`, or of Node
   */
  constructor(
    message: string,
    readonly status?: number,
    readonly code?: string,
    cause?: unknown,
  ) {
    super(message, { cause });
    this.isUncertain = status === undefined ? !UNSENT_REQUEST_CODES.has(code ?? '') : status >= 500;
  }

  /** Creates the error for an error response. */
  static ofAnswer(status: number, body: string, bucketRegion?: unknown): S3Error {
    const code = /<Code>([A-Za-z\d.]{1,64})<\/Code>/.exec(body)?.[1];
    const region =
      typeof bucketRegion === 'string' && /^[a-z\d-]{1,64}$/.test(bucketRegion)
        ? `; the region of the bucket is ${bucketRegion}`
        : '';
    return new S3Error(`S3 answered ${status}${code ? ` ${code}` : ''}${region}`, status, code);
  }

  /** Creates the error for a request without a response. */
  static ofFailure(cause: unknown, isLate: boolean): S3Error {
    const { code, name } = cause as NodeJS.ErrnoException;
    if (isLate) return new S3Error('S3 did not answer in time', undefined, undefined, cause);
    return new S3Error(`S3 did not answer (${code ?? name})`, undefined, code, cause);
  }

  /** Whether a retry of the request may succeed. */
  get isTemporary(): boolean {
    return this.status === undefined || this.status >= 500 || this.status === 429 || this.status === 408;
  }

  /** Whether the object does not exist, but the bucket does. */
  get isNoObject(): boolean {
    return this.status === 404 && this.code !== 'NoSuchBucket';
  }
}
