import { connect, createServer, type Socket } from 'node:net';
import { once } from 'node:events';
import { freePort } from '../../bench/support/free-port';
import { SqliteDatabase } from '../../src/database/sqlite/node-sqlite';
import { type LastingTestDatabase } from './database';
import { createMigratedDatabase } from './template';
import { type Environment, World } from './world';

/** A world whose database can be made unavailable and restored. */
export interface FragileWorld {
  world: World;
  breakDatabase: () => Promise<void>;
  restoreDatabase: () => Promise<void>;
  stop: () => Promise<void>;
}

/** Starts a service behind a cuttable line to its server, or on an embedded database that another connection can lock. */
export async function startFragileWorld(environment: Environment = {}): Promise<FragileWorld> {
  const database = await createMigratedDatabase();
  return database.url.startsWith('sqlite:')
    ? lockable(database, environment)
    : cuttable(database, environment);
}

async function lockable({ url, drop }: LastingTestDatabase, environment: Environment): Promise<FragileWorld> {
  const world = await World.start({ DATABASE_URL: url, ...environment });
  const other = new SqliteDatabase(url.slice('sqlite:'.length));
  const execute = (sql: string): Promise<void> => {
    other.exec(sql);
    return Promise.resolve();
  };
  return {
    world,
    breakDatabase: () => execute('BEGIN EXCLUSIVE'),
    restoreDatabase: () => execute('ROLLBACK'),
    stop: async () => {
      other.close();
      await world.stop();
      await drop();
    },
  };
}

/** A world whose server can hang: data in both directions is held back until it resumes. */
export interface HangingWorld extends FragileWorld {
  /** Hangs from now on, or once the service sends a text. */
  hang: (at?: string) => void;
  goOn: () => void;
  /** The URL of the server, without the line. */
  databaseUrl: string;
}

/** Starts a service behind a line to its server that can hang; requires a server. */
export async function startHangingWorld(environment: Environment): Promise<HangingWorld> {
  return cuttable(await createMigratedDatabase(), environment);
}

async function cuttable({ url, drop }: LastingTestDatabase, environment: Environment): Promise<HangingWorld> {
  const line = await openLine(url);
  const throughLine = new URL(url);
  throughLine.host = line.host;
  const world = await World.start({ DATABASE_URL: throughLine.toString(), ...environment });
  return {
    world,
    databaseUrl: url,
    hang: line.hang,
    goOn: line.goOn,
    breakDatabase: line.cut,
    restoreDatabase: line.restore,
    stop: async () => {
      await world.stop();
      await line.close();
      await drop();
    },
  };
}

/** A proxy to a server that can be cut, or hang: data in both directions is then held back until it resumes. */
export interface Line {
  /** Address and port at which it listens. */
  host: string;
  /** Number of connections through it. */
  connections: () => number;
  /** Hangs from now on, or once a text is sent to the server. */
  hang: (at?: string) => void;
  goOn: () => void;
  cut: () => Promise<void>;
  /** Cuts the line as soon as a text is sent to the server. */
  cutAt: (text: string) => void;
  restore: () => Promise<void>;
  close: () => Promise<void>;
}

/** Opens a line to the server of a `DATABASE_URL`. */
export async function openLine(url: string): Promise<Line> {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  let isHanging = false;
  let hangsAt: string | undefined;
  let cutsAt: string | undefined;
  const held: (() => void)[] = [];
  const forward = (from: Socket, to: Socket): void => {
    from.on('data', (chunk) => {
      if (cutsAt !== undefined && chunk.includes(cutsAt)) {
        cutsAt = undefined;
        void cut();
        return;
      }
      if (hangsAt !== undefined && chunk.includes(hangsAt)) isHanging = true;
      if (isHanging) held.push(() => to.write(chunk));
      else to.write(chunk);
    });
  };
  const line = createServer((socket) => {
    const onward = connect(Number(target.port || 3306), target.hostname);
    for (const end of [socket, onward]) {
      sockets.add(end);
      end.on('error', () => undefined);
      end.on('close', () => {
        sockets.delete(end);
        socket.destroy();
        onward.destroy();
      });
    }
    forward(socket, onward);
    forward(onward, socket);
  });
  const port = await freePort();
  line.listen(port, '127.0.0.1');
  await once(line, 'listening');
  const cut = async (): Promise<void> => {
    const closed = once(line, 'close');
    line.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  return {
    host: `127.0.0.1:${port}`,
    connections: () => sockets.size / 2,
    hang: (at) => {
      isHanging = at === undefined;
      hangsAt = at;
    },
    goOn: () => {
      isHanging = false;
      hangsAt = undefined;
      for (const send of held.splice(0)) send();
    },
    cut,
    cutAt: (text) => {
      cutsAt = text;
    },
    restore: async () => {
      line.listen(port, '127.0.0.1');
      await once(line, 'listening');
    },
    close: async () => {
      if (line.listening) await cut();
    },
  };
}
