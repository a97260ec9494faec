import { type AddressInfo, type Socket } from 'node:net';
import { createServer, type Server } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { type ReadLetter, readMessage } from './mail-message';
import { eventually } from './webhooks';

/** A letter that the mail server has taken. */
export interface TakenLetter extends ReadLetter {
  from: string;
  to: string;
  /** The message as it arrived. */
  message: string;
}

/** How the mail server answers a command: nothing special, or an error with a status. */
export interface MailAnswers {
  /** By the address of the recipient. */
  recipients?: Readonly<Record<string, string>>;
  /** The domains to whose recipients it gives no answer. */
  silentDomains?: readonly string[];
  sender?: string;
  /** To the letter itself. */
  letter?: string;
  /** The only user, `tracker`, has this password. */
  password?: string;
}

/** A mail server for tests: takes letters, or fails as it is told to. */
export class MailServer {
  readonly letters: TakenLetter[] = [];
  /** Messages whose end arrived, also of those that were refused then. */
  attempts = 0;
  /** Connections accepted so far. */
  connections = 0;
  answers: MailAnswers = {};
  private server?: SMTPServer;
  /** Accepts connections, and says nothing. */
  private hanging?: Server;
  private readonly sockets = new Set<Socket>();
  private knownPort = 0;

  get port(): number {
    return this.knownPort;
  }

  /** The settings of a service that sends to it, as fast as it can. */
  get settings(): Record<string, string> {
    return { SMTP_URL: `smtp://127.0.0.1:${this.port}`, MAIL_FROM: 'tracker@example.org', SMTP_RATE: '1000' };
  }

  /**
   * Accepts letters, on the same port as before.
   * @param takesOneCommand whether clients must wait for the answer to each command
   */
  async listen(takesOneCommand = false): Promise<void> {
    const server = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS'],
      allowInsecureAuth: true,
      disableReverseLookup: true,
      hidePIPELINING: takesOneCommand,
      logger: false,
      onConnect: (_session, done) => {
        this.connections++;
        done();
      },
      onAuth: ({ username, password }, _session, done) => {
        const isRight = username === 'tracker' && password === this.answers.password;
        if (isRight) done(null, { user: username });
        else done(answer('535 5.7.8 Authentication failed'));
      },
      onMailFrom: (_address, _session, done) => done(answer(this.answers.sender)),
      onRcptTo: ({ address }, _session, done) => {
        const isSilent = this.answers.silentDomains?.some((domain) => address.endsWith(`@${domain}`));
        if (!isSilent) done(answer(this.answers.recipients?.[address]));
      },
      onData: (stream, session, done) => {
        const chunks: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        stream.on('end', () => {
          this.attempts++;
          const error = answer(this.answers.letter);
          // Answered before the letter is read, which takes time. The answer ends the envelope.
          const { envelope } = session;
          done(error);
          if (!error) this.take(Buffer.concat(chunks).toString('utf8'), envelope);
        });
      },
    });
    server.on('error', () => undefined);
    this.server = server;
    await new Promise<void>((resolve) => server.listen(this.knownPort, '127.0.0.1', resolve));
    this.knownPort = (server.server.address() as AddressInfo).port;
  }

  /** Refuses connections from now on, and closes the open ones. */
  async refuse(): Promise<void> {
    const { server, hanging } = this;
    this.server = undefined;
    this.hanging = undefined;
    for (const socket of this.sockets) socket.destroy();
    if (server) {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const { _socket: socket } of server.connections as Set<{ _socket: Socket }>) socket.destroy();
      await closed;
    }
    if (hanging) await new Promise((resolve) => hanging.close(resolve));
  }

  /** Accepts connections from now on, and does not answer. */
  async hang(): Promise<void> {
    await this.refuse();
    const hanging = createServer((socket) => {
      this.connections++;
      this.sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => this.sockets.delete(socket));
    });
    this.hanging = hanging;
    await new Promise<void>((resolve) => hanging.listen(this.knownPort, '127.0.0.1', resolve));
  }

  /** Returns the letters, once there are `count` of them. */
  taken(count: number): Promise<TakenLetter[]> {
    return eventually(
      () => Promise.resolve(this.letters),
      (letters) => letters.length >= count,
    );
  }

  /** Returns the first letter to an address. */
  async to(address: string): Promise<TakenLetter> {
    const letters = await eventually(
      () => Promise.resolve(this.letters),
      (taken) => taken.some(({ to }) => to === address),
    );
    return letters.find(({ to }) => to === address) as TakenLetter;
  }

  /** Forgets the letters. */
  clear(): void {
    this.letters.length = 0;
    this.answers = {};
  }

  private take(
    message: string,
    envelope: { mailFrom: { address: string } | false; rcptTo: { address: string }[] },
  ): void {
    const from = envelope.mailFrom ? envelope.mailFrom.address : '';
    this.letters.push({ from, to: envelope.rcptTo[0]?.address ?? '', message, ...readMessage(message) });
  }
}

/** Starts a mail server before the tests of a suite, and stops it after them. */
export function useMailServer(): MailServer {
  const server = new MailServer();
  beforeAll(() => server.listen());
  afterAll(() => server.refuse());
  return server;
}

/** Returns the error with which the server answers, such as `550 5.1.1 No such user`. */
function answer(text: string | undefined): (Error & { responseCode: number }) | null {
  if (text === undefined) return null;
  return Object.assign(new Error(text.slice(4)), { responseCode: Number(text.slice(0, 3)) });
}

/** Returns the first link of a letter whose path begins so. */
export function linkIn({ text }: Pick<ReadLetter, 'text'>, path: string): string {
  const link = [...text.matchAll(/https?:\/\/\S+/g)]
    .map(([url]) => new URL(url))
    .find((url) => url.pathname.startsWith(path));
  if (!link) throw new Error(`No link to ${path} in ${text}`);
  return `${link.pathname}${link.hash}`;
}
