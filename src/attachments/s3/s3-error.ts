import { StorageFailedError } from '../file-storage';

const NEVER_SENT = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT']);

/** The answer of an S3 server that is not a success, or that there was none. */
export class S3Error extends StorageFailedError {
  /** Whether the server may have done what it was asked to. */
  isUncertain: boolean;

  /**
   * @param status HTTP status; undefined when there was no answer
   * @param code the server's name of the error, such as `NoSuchBucket`, or Node's
   */
  constructor(
    message: string,
    readonly status?: number,
    readonly code?: string,
    cause?: unknown,
  ) {
    super(message, { cause });
    this.isUncertain = status === undefined ? !NEVER_SENT.has(code ?? '') : status >= 500;
  }

  /** The server's refusal of a request. */
  static ofAnswer(status: number, body: string, bucketRegion?: unknown): S3Error {
    const code = /<Code>([A-Za-z\d.]{1,64})<\/Code>/.exec(body)?.[1];
    const region =
      typeof bucketRegion === 'string' && /^[a-z\d-]{1,64}$/.test(bucketRegion)
        ? `; the region of the bucket is ${bucketRegion}`
        : '';
    return new S3Error(`S3 answered ${status}${code ? ` ${code}` : ''}${region}`, status, code);
  }

  /** A request without an answer. */
  static ofFailure(cause: unknown, isLate: boolean): S3Error {
    const { code, name } = cause as NodeJS.ErrnoException;
    if (isLate) return new S3Error('S3 did not answer in time', undefined, undefined, cause);
    return new S3Error(`S3 did not answer (${code ?? name})`, undefined, code, cause);
  }

  /** Whether the same request may succeed a moment later. */
  get isTemporary(): boolean {
    return this.status === undefined || this.status >= 500 || this.status === 429 || this.status === 408;
  }

  /** Whether the bucket is there, but not the object. */
  get isNoObject(): boolean {
    return this.status === 404 && this.code !== 'NoSuchBucket';
  }
}
