import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Output } from '../output';
import { executeByService } from './service-client';

describe(executeByService.name, () => {
  let folder: string;
  let server: Server | undefined;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'service-client-'));
  });
  afterEach(async () => {
    server?.close();
    await rm(folder, { recursive: true });
  });

  /** Executes a command by a service that answers in this way. */
  async function execute(answer: (socket: Socket) => void): Promise<{ exitCode: number; text: string }> {
    const path = join(folder, 'socket');
    server = createServer((socket) => {
      socket.on('error', () => undefined).once('data', () => answer(socket));
    }).listen(path);
    await once(server, 'listening');
    let text = '';
    const output = new Output({ out: (part) => (text += part), error: (part) => (text += part) });
    return { exitCode: await executeByService(connect(path), ['key'], output), text };
  }

  it('passes the output on, and returns the exit code', async () => {
    const answer = '{"out":"a"}\n{"error":"b"}\n{"exitCode":3}\n';
    expect(await execute((socket) => socket.end(answer))).toEqual({ exitCode: 3, text: 'ab' });
  });

  it.each(['no JSON', 'null', '{}', '[1]', '{"exitCode":"0"}', ''])('fails for the line %j', async (line) => {
    await expect(execute((socket) => socket.end(`${line}\n`))).rejects.toThrow(
      /^The response of the service cannot be read\. It is unknown whether /,
    );
  });

  it('fails for a line that never ends', async () => {
    const flood = (socket: Socket): void => {
      const send = (): void => {
        while (!socket.destroyed && socket.write('x'.repeat(65_536)));
      };
      socket.on('drain', send);
      send();
    };
    await expect(execute(flood)).rejects.toThrow('The response of the service cannot be read.');
  });
});
