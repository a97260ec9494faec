import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type SMTPConnection from 'nodemailer/lib/smtp-connection';
import { type SmtpServer } from '../../config/smtp-url';
import { type SmtpError } from './smtp-failure';

/** How long an idle connection is kept, in milliseconds: mail servers close them after some minutes. */
const IDLE_MS = 20_000;

/** How long to wait for the answer to the end of a connection, in milliseconds. */
const FAREWELL_MS = 1000;

/** A letter as the mail server gets it. */
export interface SmtpLetter {
  from: string;
  to: string;
  /** With its headers. */
  message: Buffer;
}

/** Receives each line of the dialogue with the mail server, without secrets. */
export type DialogueListener = (line: string) => void;

interface Idle {
  connection: SMTPConnection;
  timer: NodeJS.Timeout;
}

/** The attempt took too long. */
class DeadlineError extends Error {
  readonly code = 'ETIMEDOUT';
}

/**
 * Sends letters over connections that are kept for the next ones. Each attempt has a deadline for all its steps, however slowly the mail server
 * answers: its connection is then destroyed.
 */
export class SmtpConnections {
  private readonly idle: Idle[] = [];

  /**
   * @param timeout of an attempt, in milliseconds
   * @param listener for diagnosis
   */
  constructor(
    private readonly server: SmtpServer,
    private readonly timeout: number,
    private readonly listener?: DialogueListener,
  ) {}

  /** Sends a letter. @throws SmtpError */
  async send({ from, to, message }: SmtpLetter): Promise<void> {
    const attempt = new Attempt(this.timeout);
    try {
      const connection = await this.connect(attempt);
      await attempt.run(connection, (done) =>
        connection.send({ from, to, size: message.length }, message, done),
      );
      if (this.listener) await farewell(connection);
      else this.keep(connection);
    } catch (error) {
      attempt.destroy();
      throw error;
    } finally {
      attempt.end();
    }
  }

  /** Closes the connections that are not in use. */
  close(): void {
    for (const { connection, timer } of this.idle.splice(0)) {
      clearTimeout(timer);
      connection.quit();
    }
  }

  /** Returns a connection that the server still answers, or a new one that is logged in. */
  private async connect(attempt: Attempt): Promise<SMTPConnection> {
    for (let idle = this.idle.pop(); idle; idle = this.idle.pop()) {
      clearTimeout(idle.timer);
      const { connection } = idle;
      try {
        await attempt.run(connection, (done) => connection.reset(done));
        return connection;
      } catch (error) {
        // The server has closed it meanwhile. A hanging one uses up the time of the attempt.
        if (error instanceof DeadlineError) throw error;
        connection.close();
      }
    }
    const connection = await this.create();
    await attempt.run(connection, (done) => connection.connect(done));
    const { user, password } = this.server;
    if (user !== undefined) {
      const credentials = { user, pass: password };
      await attempt.run(connection, (done) => connection.login({ credentials }, done));
    }
    return connection;
  }

  private async create(): Promise<SMTPConnection> {
    // Loaded with the first letter.
    const { default: Connection } = await import('nodemailer/lib/smtp-connection');
    const { host, port, encryption, authorityFile } = this.server;
    const { timeout, listener } = this;
    const connection = new Connection({
      host,
      port,
      name: hostname(),
      secure: encryption === 'tls',
      requireTLS: encryption === 'starttls',
      // Whoever could forge the certificate could also take away STARTTLS, and a server on this machine usually has none that is trusted.
      opportunisticTLS: encryption === 'optional',
      tls: {
        ...(authorityFile !== undefined && { ca: readFileSync(authorityFile) }),
        rejectUnauthorized: encryption !== 'optional',
      },
      // The deadline of the attempt expires first: an equal limit could expire before it and report a different error.
      connectionTimeout: timeout + IDLE_MS,
      greetingTimeout: timeout + IDLE_MS,
      socketTimeout: timeout + IDLE_MS,
      dnsTimeout: timeout + IDLE_MS,
      maxResponseSize: 64 * 1024,
      ...(listener && { logger: dialogueLogger(listener), transactionLog: true }),
    });
    // An error while the connection is idle; those of an attempt are also listened to there.
    connection.on('error', () => this.forget(connection));
    connection.on('end', () => this.forget(connection));
    return connection;
  }

  private keep(connection: SMTPConnection): void {
    const timer = setTimeout(() => {
      this.forget(connection);
      connection.quit();
    }, IDLE_MS);
    this.idle.push({ connection, timer });
  }

  private forget(connection: SMTPConnection): void {
    const index = this.idle.findIndex((one) => one.connection === connection);
    if (index < 0) return;
    const [forgotten] = this.idle.splice(index, 1);
    clearTimeout(forgotten?.timer);
  }
}

/** Ends a connection as the protocol demands, and waits for the answer for a while. */
async function farewell(connection: SMTPConnection): Promise<void> {
  const ended = new Promise<void>((resolve) => connection.once('end', resolve));
  connection.quit();
  await Promise.race([ended, sleep(FAREWELL_MS, undefined, { ref: false })]);
  connection.close();
}

type Done = (error?: Error | null) => void;

/** One attempt, whose steps share a deadline. */
class Attempt {
  private readonly timer: NodeJS.Timeout;
  private connection?: SMTPConnection;
  private expire?: () => void;

  constructor(timeout: number) {
    this.timer = setTimeout(() => this.expire?.(), timeout);
    this.expired = new Promise((_resolve, reject) => {
      this.expire = () => reject(new DeadlineError(`no answer within ${timeout / 1000} s`));
    });
    // It may expire while no step runs.
    this.expired.catch(() => undefined);
  }

  private readonly expired: Promise<never>;

  /** Runs a step on a connection. @throws SmtpError */
  async run(connection: SMTPConnection, step: (done: Done) => void): Promise<void> {
    this.connection = connection;
    let fail: ((error: SmtpError) => void) | undefined;
    const running = new Promise<void>((resolve, reject) => {
      fail = reject;
      connection.once('error', fail);
      step((error) => (error ? reject(error) : resolve()));
    });
    try {
      await Promise.race([running, this.expired]);
    } finally {
      if (fail) connection.removeListener('error', fail);
      running.catch(() => undefined);
    }
  }

  /** Destroys the connection of the last step. */
  destroy(): void {
    this.connection?.close();
  }

  end(): void {
    clearTimeout(this.timer);
  }
}

/** A logger for nodemailer that passes on what the client and the server say. */
function dialogueLogger(listener: DialogueListener): Record<string, (...entry: unknown[]) => void> {
  const log = (data: unknown, message: unknown, ...parameters: unknown[]): void => {
    const { tnx } = (data ?? {}) as { tnx?: string };
    if (tnx !== 'client' && tnx !== 'server') return;
    const text = parameters.length > 0 && String(message) === '%s' ? String(parameters[0]) : String(message);
    for (const line of text.split(/\r?\n/))
      if (line !== '') listener(`${tnx === 'client' ? '>' : '<'} ${line}`);
  };
  return { trace: log, debug: log, info: log, warn: log, error: log, fatal: log, level: () => undefined };
}
