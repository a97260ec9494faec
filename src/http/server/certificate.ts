import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { createSecureContext, type SecureContextOptions, type Server } from 'node:tls';
import { Logger } from '@nestjs/common';
import { type Environment, EnvironmentError } from '../../config/environment';

/** Interval at which the files are read, in milliseconds. A change takes effect when two consecutive reads return the same content. */
const CHECK_INTERVAL_MS = 5000;
/** Maximum size of a certificate file, in bytes. */
const MAX_FILE_SIZE = 1024 * 1024;

/** A certificate with its chain, and its private key, in PEM. */
interface Pair {
  cert: string;
  key: string;
}

/** Names of the settings, with which every message starts. */
const SETTINGS = { cert: 'TLS_CERT', key: 'TLS_KEY' } as const;

/**
 * The certificate of the server, from the files set in `TLS_CERT` and `TLS_KEY`. The files are polled instead of watched, because
 * they are replaced by renaming files, links or whole folders, also on file systems that do not report changes.
 */
export class Certificate {
  private readonly logger = new Logger(Certificate.name);
  private readonly files: Pair;
  /** The pair in use. */
  private current: Pair;
  /** Result of the last read: a pair, or the reason why there was none. */
  private seen: Pair | string;
  /** The last pair or problem that was rejected and logged. */
  private refused?: Pair | string;
  private timer?: NodeJS.Timeout;
  private checking?: Promise<void>;

  /** @throws EnvironmentError when a file cannot be read or used */
  constructor({ TLS_CERT, TLS_KEY }: Required<Pick<Environment, 'TLS_CERT' | 'TLS_KEY'>>) {
    this.files = { cert: TLS_CERT, key: TLS_KEY };
    try {
      this.current = { cert: this.readPartSync('cert'), key: this.readPartSync('key') };
      this.seen = this.current;
      checkPair(this.current, this.files);
    } catch (error) {
      throw new EnvironmentError([(error as Error).message]);
    }
  }

  /** Options of the TLS server. */
  get options(): SecureContextOptions {
    return { ...this.current, minVersion: 'TLSv1.2' };
  }

  /** Expiry date of the certificate. */
  get validTo(): Date {
    return new Date(new X509Certificate(this.current.cert).validTo);
  }

  /** Keeps the server up to date when the files change. */
  watch(server: Server): void {
    this.timer = setInterval(() => void this.check(server), CHECK_INTERVAL_MS).unref();
    server.once('close', () => clearInterval(this.timer));
  }

  /** Reads the files once. Never rejects. */
  check(server: Server): Promise<void> {
    this.checking ??= this.reloadIfChanged(server).finally(() => (this.checking = undefined));
    return this.checking;
  }

  private async reloadIfChanged(server: Server): Promise<void> {
    const found = await this.read();
    const wasSeen = isSame(found, this.seen);
    this.seen = found;
    // Two files cannot be replaced atomically: content seen for the first time may be half of the change.
    if (!wasSeen || isSame(found, this.current) || isSame(found, this.refused)) return;
    try {
      if (typeof found === 'string') throw new Error(found);
      checkPair(found, this.files);
      this.current = found;
      this.refused = undefined;
      server.setSecureContext(this.options);
      this.logger.log({ validTo: this.validTo }, 'The certificate has been replaced');
    } catch (error) {
      this.refused = found;
      this.logger.error(`${(error as Error).message}; the previous certificate stays in use`);
    }
  }

  private async read(): Promise<Pair | string> {
    try {
      const [cert, key] = await Promise.all([this.readPart('cert'), this.readPart('key')]);
      return { cert, key };
    } catch (error) {
      return (error as Error).message;
    }
  }

  private readPartSync(part: keyof Pair): string {
    const file = this.files[part];
    return withFileError(part, file, () => {
      requireSmallFile(statSync(file));
      return readFileSync(file, 'utf8');
    });
  }

  private async readPart(part: keyof Pair): Promise<string> {
    const file = this.files[part];
    try {
      requireSmallFile(await stat(file));
      return await readFile(file, 'utf8');
    } catch (error) {
      throw problem(part, file, (error as Error).message);
    }
  }
}

function withFileError(part: keyof Pair, file: string, read: () => string): string {
  try {
    return read();
  } catch (error) {
    throw problem(part, file, (error as Error).message);
  }
}

function requireSmallFile(stats: { size: number; isFile(): boolean }): void {
  if (!stats.isFile() || stats.size > MAX_FILE_SIZE) throw new Error('it is not a file of at most 1 MiB');
}

/** @throws Error that names the setting and the file when the pair cannot be used */
function checkPair({ cert, key }: Pair, files: Pair): void {
  const certificate = parse('cert', files, 'a certificate in PEM', () => new X509Certificate(cert));
  const privateKey = parse('key', files, 'a private key in PEM, without a passphrase', () =>
    createPrivateKey(key),
  );
  if (!certificate.checkPrivateKey(privateKey)) {
    throw problem('key', files.key, `it is not the key of the certificate in ${files.cert}`);
  }
  // Also validates the rest of the chain.
  parse('cert', files, 'a chain of certificates in PEM that TLS can use', () =>
    createSecureContext({ cert, key }),
  );
}

function parse<T>(part: keyof Pair, files: Pair, what: string, read: () => T): T {
  try {
    return read();
  } catch {
    // OpenSSL's message does not help the operator.
    throw problem(part, files[part], `it does not contain ${what}`);
  }
}

const problem = (part: keyof Pair, file: string, message: string): Error =>
  new Error(`${SETTINGS[part]} cannot be used: ${file}: ${message}`);

function isSame(one: Pair | string, other: Pair | string | undefined): boolean {
  if (typeof one === 'string' || typeof other !== 'object') return one === other;
  return one.cert === other.cert && one.key === other.key;
}
