import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type SMTPConnection from 'nodemailer/lib/smtp-connection';
import { type SmtpServer } from '../../config/smtp-url';
import { type DialogueListener, SmtpDialogue } from './smtp-dialogue';
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

interface Idle {
  connection: SMTPConnection;
  timer: NodeJS.Timeout;
}

/** The attempt took too long. */
class DeadlineError extends Error {
  readonly code = 'ETIMEDOUT';

  /** @param command that the server has not answered; undefined unless it is that with the recipient */
  constructor(
    message: string,
    readonly command: 'RCPT TO' | undefined,
  ) {
    super(message);
  }
}

/**
 * Sends letters over connections that are kept for the next ones. Each attempt has a deadline for all its steps, however slowly the mail server
 * answers: its connection is then destroyed.
 */
export class SmtpConnections {
  private readonly idle: Idle[] = [];
  private readonly dialogues = new WeakMap<SMTPConnection, SmtpDialogue>();

  /**
   * @param timeout of an attempt, in milliseconds
   * @param listener for diagnosis
   */
  constructor(
    private readonly server: SmtpServer,
    private readonly timeout: number,
    private readonly listener?: DialogueListener,
  ) {}

  /**
   * Sends a letter.
   * @param recipientTimeout how long the server may take to answer to the recipient, in milliseconds
   * @throws SmtpError
   */
  async send({ from, to, message }: SmtpLetter, recipientTimeout = this.timeout): Promise<void> {
    const attempt = new Attempt(this.timeout, recipientTimeout);
    try {
      const connection = await this.connect(attempt);
      this.dialogues.get(connection)?.onRecipient((isAsked) => attempt.noteRecipient(isAsked));
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
    const { timeout } = this;
    const dialogue = new SmtpDialogue(this.listener);
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
      logger: dialogue.logger,
      transactionLog: true,
    });
    this.dialogues.set(connection, dialogue);
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
  private recipientTimer?: NodeJS.Timeout;
  private connection?: SMTPConnection;
  private readonly expired: Promise<never>;
  private expire?: (error: DeadlineError) => void;

  /**
   * @param timeout in milliseconds
   * @param recipientTimeout of the answer to the recipient, in milliseconds
   */
  constructor(
    timeout: number,
    private readonly recipientTimeout: number,
  ) {
    this.expired = new Promise((_resolve, reject) => {
      this.expire = reject;
    });
    // It may expire while no step runs.
    this.expired.catch(() => undefined);
    this.timer = setTimeout(() => this.giveUp(timeout), timeout);
  }

  /** Notes whether the server has been asked for the recipient, and has not answered yet. */
  noteRecipient(isAsked: boolean): void {
    clearTimeout(this.recipientTimer);
    const { recipientTimeout } = this;
    this.recipientTimer = isAsked
      ? setTimeout(() => this.giveUp(recipientTimeout), recipientTimeout)
      : undefined;
  }

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
    clearTimeout(this.recipientTimer);
  }

  private giveUp(after: number): void {
    const command = this.recipientTimer && 'RCPT TO';
    this.expire?.(new DeadlineError(`no answer within ${after / 1000} s`, command));
  }
}
