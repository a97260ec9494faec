import { chmod, mkdir, rm, rmdir } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { Environment } from '../../config/environment';
import { VERSION } from '../../config/version';
import { type Services } from '../../services';
import { Output } from '../output';
import {
  type CommandMessage,
  type CommandRequest,
  Lines,
  MAX_REQUEST_BYTES,
  parseRequest,
  PROTOCOL,
  toLine,
} from './messages';
import { isPrivateFolder, isUsableForSocket, type SocketPlace, socketPlace } from './socket-place';

/** Commands at once; more are disconnected. */
const MAX_CONNECTIONS = 16;
/** Maximum time until the request has arrived, in milliseconds. */
const REQUEST_MS = 5000;
/** Maximum time until a command has read the rest of its output, in milliseconds. */
const LINGER_MS = 5000;
/** Maximum unread output, in bytes; a command that leaves more unread is disconnected. */
const MAX_UNREAD_BYTES = 1024 * 1024;

/**
 * Executes commands of `pms` in the running service, which has the embedded database to itself. It listens on a socket beside the database,
 * in a folder that only the user of the service may enter: who can connect could also change the database. The protocol is a line of JSON
 * with the words of the command, answered by lines with its output and its exit code (`docs/decisions/0054-administration-beside-a-service.md`).
 */
@Injectable()
export class CommandSocketService implements OnModuleDestroy {
  private readonly logger = new Logger('Commands');
  private readonly server: Server = createServer((socket) => this.accept(socket));
  private readonly stopping = new AbortController();
  private readonly connections = new Set<Socket>();
  /** Connections whose request has not arrived. */
  private readonly waiting = new Set<Socket>();
  private readonly running = new Set<Promise<void>>();
  private readonly place: SocketPlace | undefined;
  private opening: Promise<void> = Promise.resolve();

  constructor(
    private readonly modules: ModuleRef,
    environment: Environment,
  ) {
    this.place = socketPlace(environment);
    this.server.maxConnections = MAX_CONNECTIONS;
  }

  /** Starts to listen. The service works without: if that fails, a line in the log says so. */
  open(): Promise<void> {
    const { place } = this;
    if (place && !this.stopping.signal.aborted) {
      this.opening = this.listen(place).catch((error: unknown) => {
        const { message } = error as Error;
        this.logger.warn(`Commands that write are refused while this service runs: ${message}`);
      });
    }
    return this.opening;
  }

  /** Stops listening, and waits for the commands that are being executed. */
  async onModuleDestroy(): Promise<void> {
    this.stopping.abort();
    for (const socket of this.waiting) socket.destroy();
    await this.opening;
    this.server.close();
    await Promise.all(this.running);
    for (const socket of this.connections) socket.destroy();
    if (this.place) await rmdir(this.place.folder).catch(() => undefined);
  }

  private async listen({ folder, path }: SocketPlace): Promise<void> {
    if (!isUsableForSocket(path)) throw new Error(`the path ${path} is too long for a socket.`);
    await mkdir(folder, { mode: 0o700 }).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    });
    if (!isPrivateFolder(folder, false)) {
      throw new Error(`other users can access ${folder}, or another user owns it. Remove it.`);
    }
    // This process has locked the database, so a socket that exists belongs to one that was killed.
    await rm(path, { force: true });
    await new Promise<void>((resolve, reject) => {
      this.server.once('error', reject).listen({ path }, () => {
        this.server
          .off('error', reject)
          .on('error', (err) => this.logger.warn({ err }, 'A command could not connect'));
        resolve();
      });
    });
    await chmod(path, 0o600);
  }

  private accept(socket: Socket): void {
    if (this.stopping.signal.aborted) {
      socket.destroy();
      return;
    }
    const lines = new Lines();
    const timer = setTimeout(() => socket.destroy(), REQUEST_MS);
    let received = 0;
    let isRunning = false;
    this.connections.add(socket);
    this.waiting.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearTimeout(timer);
      this.connections.delete(socket);
      this.waiting.delete(socket);
    });
    socket.on('data', (chunk: Buffer) => {
      received += chunk.length;
      // Nothing may follow the request, and no command begins while the service stops.
      const isTooLate = isRunning || this.stopping.signal.aborted;
      if (isTooLate || received > MAX_REQUEST_BYTES) {
        socket.destroy();
        return;
      }
      const [line] = lines.add(chunk);
      if (line === undefined) return;
      clearTimeout(timer);
      isRunning = true;
      this.waiting.delete(socket);
      const request = parseRequest(line);
      if (request && lines.pending === 0) this.start(new Client(socket), request);
      else socket.destroy();
    });
  }

  private start(client: Client, request: CommandRequest): void {
    const running = this.execute(client, request)
      .catch((err: unknown) => {
        this.logger.warn({ err }, 'A command could not be executed');
        client.send({ error: 'The running service could not execute this command: its log says why.\n' });
        client.end(1);
      })
      .finally(() => this.running.delete(running));
    this.running.add(running);
  }

  private async execute(client: Client, { protocol, version, words }: CommandRequest): Promise<void> {
    const output = new Output({
      out: (out) => client.send({ out }),
      error: (error) => client.send({ error }),
    });
    if (protocol !== PROTOCOL) {
      output.note(
        `The running service has version ${VERSION}, which cannot execute commands of version ${version}: restart it.`,
      );
      client.end(1);
      return;
    }
    if (version !== VERSION)
      output.note(`The running service has version ${VERSION} and executes this command.`);
    const start = performance.now();
    const services: Services = (type) => this.modules.get(type, { strict: false });
    const signal = AbortSignal.any([this.stopping.signal, client.gone]);
    const { runForClient } = await import('../program.ts');
    const exitCode = await runForClient(words, output, { services, signal });
    client.end(exitCode);
    this.logger.log(
      { command: nameOf(words), exitCode, seconds: Math.round(performance.now() - start) / 1000 },
      'Executed a command',
    );
  }
}

/** The process that asked for a command. */
class Client {
  private readonly controller = new AbortController();

  constructor(private readonly socket: Socket) {
    socket.once('close', () => this.controller.abort());
  }

  /** Aborted when it is gone. */
  get gone(): AbortSignal {
    return this.controller.signal;
  }

  send(message: CommandMessage): void {
    if (this.socket.destroyed) return;
    this.socket.write(toLine(message));
    if (this.socket.writableLength > MAX_UNREAD_BYTES) this.socket.destroy();
  }

  end(exitCode: number): void {
    this.send({ exitCode });
    this.socket.end();
    setTimeout(() => this.socket.destroy(), LINGER_MS).unref();
  }
}

/** Returns the name of a command for the log, without its arguments. */
const nameOf = (words: readonly string[]): string =>
  words
    .slice(0, 2)
    .filter((word) => /^[a-z-]{1,30}$/.test(word))
    .join(' ');
