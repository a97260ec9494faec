import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { once } from 'node:events';
import { SqliteDatabase } from '../../src/database/sqlite/node-sqlite';
import { createLastingTestDatabase, type LastingTestDatabase } from './database';
import { World } from './world';

/** A world whose database can be taken away and given back. */
export interface FragileWorld {
  world: World;
  breakDatabase: () => Promise<void>;
  mendDatabase: () => Promise<void>;
  stop: () => Promise<void>;
}

/** A service behind a cuttable line to its server, or on an embedded database that somebody else can lock. */
export async function startFragileWorld(): Promise<FragileWorld> {
  const database = await createLastingTestDatabase();
  return database.url.startsWith('sqlite:') ? lockable(database) : cuttable(database);
}

async function lockable({ url, drop }: LastingTestDatabase): Promise<FragileWorld> {
  const world = await World.start({ DATABASE_URL: url });
  const other = new SqliteDatabase(url.slice('sqlite:'.length));
  const execute = (sql: string): Promise<void> => {
    other.exec(sql);
    return Promise.resolve();
  };
  return {
    world,
    breakDatabase: () => execute('BEGIN EXCLUSIVE'),
    mendDatabase: () => execute('ROLLBACK'),
    stop: async () => {
      other.close();
      await world.stop();
      await drop();
    },
  };
}

async function cuttable({ url, drop }: LastingTestDatabase): Promise<FragileWorld> {
  const target = new URL(url);
  const sockets = new Set<Socket>();
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
    socket.pipe(onward).pipe(socket);
  });
  line.listen(0, '127.0.0.1');
  await once(line, 'listening');
  const { port } = line.address() as AddressInfo;
  const cut = async (): Promise<void> => {
    const closed = once(line, 'close');
    line.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  const throughLine = new URL(url);
  throughLine.host = `127.0.0.1:${port}`;
  const world = await World.start({ DATABASE_URL: throughLine.toString() });
  return {
    world,
    breakDatabase: cut,
    mendDatabase: async () => {
      line.listen(port, '127.0.0.1');
      await once(line, 'listening');
    },
    stop: async () => {
      await world.stop();
      if (line.listening) await cut();
      await drop();
    },
  };
}
