import { randomBytes } from 'node:crypto';
import { Logger } from '@nestjs/common';
import { type Mock } from 'vitest';
import { GitProgram, LIMITED_MEMORY } from '../../src/git/git-program';
import { TransferPace } from '../../src/git/transfer-pace';
import { GitReaderService } from '../../src/git-repositories/contents/git-reader.service';
import { FLUSH, pktLine } from '../../src/git-repositories/serving/pkt-line';
import { describeWithGit, type GitFolder } from '../support/git';
import { type ImportedFile, importCommits } from '../support/git-history';
import { NEW_PULL_REQUEST, pullRequests } from '../support/pull-requests';
import { RawConnection } from '../support/raw-connection';
import { activitiesOf } from '../support/records';
import {
  commitFile,
  creationOf,
  pushFile,
  type ServedGit,
  startServedGit,
  until,
} from '../support/served-git';
import { errorShape } from '../support/shapes';
import { type Person, type ProjectFixture, type World } from '../support/world';

const MIB = 1024 * 1024;
const MERGED = 3;

describeWithGit('git under resource limits', () => {
  let world: World;
  let project: ProjectFixture;
  let served: ServedGit;
  let folder: GitFolder;

  const start = async (environment: Record<string, string>): Promise<void> => {
    ({ world, project, served, folder } = await startServedGit(environment));
  };

  afterEach(async () => {
    vi.restoreAllMocks();
    await world.stop();
    await folder.remove();
  });

  const pushed = async (content: Buffer | string = 'a'): Promise<string> =>
    pushFile(await served.clone(folder, world.admin), 'a.txt', content);

  const running = (): number => world.service(GitProgram).running;

  const repositoryPath = (): string => `/projects/${project.key}/git/repositories/${project.repositoryName}`;

  /** Returns a request for a path below that of the repository. */
  const download = (path: string): string =>
    `GET ${new URL(world.server.baseUrl).pathname}${repositoryPath()}/${path} HTTP/1.1\r\nHost: a\r\n` +
    `X-API-Key: ${world.admin.key}\r\n\r\n`;

  /** Returns the details of the log lines about limits, to which further ones are added. */
  const listRefusals = (): unknown[] => {
    const lines: unknown[] = [];
    vi.spyOn(Logger.prototype, 'warn').mockImplementation((details: unknown, message: unknown) => {
      if (String(message).startsWith('A limit was reached')) lines.push(details);
    });
    return lines;
  };

  it('serves other users while four users hold as many transfers as allowed', async () => {
    await start({ GIT_MIN_RATE: '0' });
    const head = await pushed();
    const body = creationOf(head, ['refs/heads/x']).subarray(0, -5);
    const users: Person[] = [];
    while (users.length < 4) users.push(await world.addMember(project));
    const slow = await Promise.all(
      users.flatMap(({ key }) => [1, 2, 3, 4].map(() => served.openPush(key, 1_000_000))),
    );
    for (const { socket } of slow) socket.write(body);
    // A first one of each user, and half of the pool.
    await until(() => running() === 12);
    const other = await world.addMember(project);
    const clone = await served.clone(folder, other, 'other');
    expect((await other.api.get(`${repositoryPath()}/branches`)).status).toBe(200);
    const next = await commitFile(clone, 'b.txt');
    await clone.git('push', '--quiet', 'origin', 'main:refs/heads/other');
    expect(JSON.stringify(await activitiesOf(world, project))).toContain(next);
    expect(running()).toBe(12);
    for (const { socket } of slow) socket.destroy();
    await served.whenIdle();
  });

  it('queues the clones of a user beyond GIT_PROCESSES_PER_USER', async () => {
    await start({ GIT_PROCESSES: '8', GIT_PROCESSES_PER_USER: '1' });
    await pushed();
    const names = Array.from({ length: 8 }, (_, index) => `clone-${index}`);
    const clones = await Promise.all(names.map((name) => served.clone(folder, world.admin, name)));
    for (const clone of clones) expect(await clone.git('rev-list', '--count', 'HEAD')).toBe('1');
  });

  it('ends a push slower than the minimum rate', async () => {
    await start({ GIT_MIN_RATE_TIME: '0.5' });
    const head = await pushed();
    const connection = await served.openPush(world.admin.key, 1_000_000);
    connection.socket.write(creationOf(head, ['refs/heads/x']).subarray(0, -5));
    await served.whenBusy();
    const sending = setInterval(() => connection.socket.write('0'), 50);
    try {
      await connection.receives(
        /^HTTP\/1.1 400 [^]*slow: it has transferred less than 1024 bytes per second/,
      );
      await served.whenIdle();
    } finally {
      clearInterval(sending);
      connection.socket.destroy();
    }
    expect(await served.onServer('for-each-ref', '--format=%(refname)')).toBe('refs/heads/main');
  });

  it('ends a fetch, download or diff whose client stops reading', async () => {
    await start({ GIT_MIN_RATE: '10000000', GIT_MIN_RATE_TIME: '0.5' });
    // More than the buffers of the connection hold.
    const content = randomBytes(40_000_000);
    const texts = Array.from({ length: 80 }, (_, index) => ({
      path: `${index}.txt`,
      content: randomBytes(375_000).toString('base64'),
    }));
    const [, head = ''] = await importCommits(world, project.repositoryId, [
      { ref: 'refs/heads/main', files: [{ path: 'a.txt', content }] },
      { ref: 'refs/heads/texts', parents: [':1'], files: texts },
    ]);
    const { body: pullRequest } = await world.admin.api.post<{ number: number }>(pullRequests(project), {
      ...NEW_PULL_REQUEST,
      branch: 'texts',
    });
    const wants = [
      pktLine('command=fetch'),
      Buffer.from('0001'),
      pktLine(`want ${head}\n`),
      pktLine('done\n'),
    ];
    const body = Buffer.concat([...wants, FLUSH]);
    const requests = [
      `POST ${served.path}/git-upload-pack HTTP/1.1\r\nHost: a\r\nX-API-Key: ${world.admin.key}\r\nGit-Protocol: version=2\r\n` +
        `Content-Type: application/x-git-upload-pack-request\r\nContent-Length: ${body.length}\r\n\r\n${body.toString()}`,
      ...['files?path=a.txt', `pullRequests/${pullRequest.number}.diff`].map(download),
    ];
    const lines = listRefusals();
    for (const request of requests) {
      const connection = await RawConnection.open(served.origin);
      connection.stopReading().send(request);
      await until(() => lines.length > 0);
      await served.whenIdle();
      expect(lines.splice(0)).toEqual([
        expect.objectContaining({
          userId: world.admin.id,
          operation: expect.any(String),
          limit: 'transfer_rate',
          setting: 'GIT_MIN_RATE',
          least: 10_000_000,
        }),
      ]);
      connection.socket.resume();
      const received = await connection.closed();
      expect(received).toMatch(/^HTTP\/1.1 200 /);
      expect(received.length).toBeLessThan(content.length);
    }
  });

  it('stops measuring the pace of an aborted download', async () => {
    await start({});
    const files = [{ path: 'a.txt', content: randomBytes(40_000_000) }];
    await importCommits(world, project.repositoryId, [{ ref: 'refs/heads/main', files }]);
    const ends: Mock<() => void>[] = [];
    const wait = Object.getOwnPropertyDescriptor(TransferPace.prototype, 'wait')
      ?.value as TransferPace['wait'];
    vi.spyOn(TransferPace.prototype, 'wait').mockImplementation(function (this: TransferPace) {
      const end = vi.fn(wait.call(this));
      ends.push(end);
      return end;
    });
    const reading = { repositoryId: project.repositoryId, userId: world.admin.id };
    const stream = await world.service(GitReaderService).stream(reading, ['cat-file', 'blob', 'main:a.txt']);
    stream.read(0);
    await until(() => stream.readableLength >= stream.readableHighWaterMark);
    stream.destroy();
    await served.whenIdle();
    await until(() => ends.every((end) => end.mock.calls.length > 0));
  });

  it('limits the memory and CPU time of each process', async () => {
    await start({ GIT_CPU_TIME: '20' });
    const git = world.service(GitProgram);
    const limits = ['-c', 'alias.limits=!ulimit -v; ulimit -S -t', 'limits'];
    expect(await git.text(limits, { userId: 7 })).toBe('1048576\n20');
    expect(await git.text(limits, { userId: 7, timeoutMs: 5000, memoryShare: 0.5 })).toBe('524288\n5');
    expect(await git.text(limits, { userId: 0, timeoutMs: 3_600_000 })).toBe('1048576\n3600');
  });

  it('ends a process that exceeds its CPU time', async () => {
    await start({ GIT_CPU_TIME: '1' });
    const loop = ['-c', 'alias.loop=!while :; do :; done', 'loop'];
    await expect(world.service(GitProgram).run(loop, { userId: 7 })).rejects.toMatchObject({
      isOverLimit: true,
    });
  });

  describe('when merging', () => {
    interface Versions {
      original: readonly ImportedFile[];
      ours: readonly ImportedFile[];
      theirs: readonly ImportedFile[];
    }

    /** Adds files in two versions, and a pull request. */
    const begin = async (
      author: Person,
      name: string,
      { original, ours, theirs }: Versions,
    ): Promise<number> => {
      await importCommits(world, project.repositoryId, [
        { ref: 'refs/heads/main', files: original },
        { ref: `refs/heads/${name}`, parents: [':1'], files: theirs },
        { ref: 'refs/heads/main', parents: [':1'], files: ours },
      ]);
      const fields = { ...NEW_PULL_REQUEST, branch: name };
      const { status, body } = await author.api.post<{ number: number }>(pullRequests(project), fields);
      expect(status).toBe(200);
      return body.number;
    };

    const file = (content: string, path = 'lines.txt'): ImportedFile => ({ path, content });

    /** Returns the versions of a file of empty lines that both branches change. */
    const linesOf = (lines: number): Versions => {
      const text = '\n'.repeat(lines);
      return { original: [file(text)], ours: [file(`${text}last`)], theirs: [file(`first${text}`)] };
    };

    const merge = (author: Person, number: number) =>
      author.api.patch<{ errors: [{ message: string }] }>(`${pullRequests(project)}/${number}`, {
        statusId: MERGED,
      });

    it('refuses to merge the lines of files above 8 MiB', async () => {
      await start({});
      const number = await begin(world.admin, 'large', linesOf(16 * MIB));
      const { status, body } = await merge(world.admin, number);
      expect([status, body]).toEqual([409, errorShape(7, ['statusId'])]);
      expect(body.errors[0].message).toBe(
        'statusId: The branches cannot be merged on the server: both change files larger than 8 MiB: "lines.txt". ' +
          'Merge them in a clone, and push the result.',
      );
    });

    it('returns 409 when a merge needs too much memory', async () => {
      await start({});
      const number = await begin(world.admin, 'large', linesOf(8 * MIB - 10));
      const started = vi.spyOn(world.service(GitProgram), 'start');
      const { status, body } = await merge(world.admin, number);
      const [, options] = started.mock.calls.find(([[command]]) => command === 'merge-tree') ?? [];
      expect(options).toMatchObject({ memoryShare: 0.5 });
      expect([status, body]).toEqual([409, errorShape(7, ['statusId'])]);
      expect(body.errors[0].message).toMatch(
        /cannot be merged on the server: the merge needs too much memory or time/,
      );
    });

    it.each(['base', 'branch'])(
      'refuses to merge the lines of large files renamed and changed on the %s',
      async (renaming) => {
        await start({});
        const text = '\n'.repeat(9 * MIB);
        const moved = [{ path: 'lines.txt' }, file(`${text}last`, 'moved.txt')];
        const changed = [file(`first${text}`)];
        const [ours, theirs] = renaming === 'base' ? [moved, changed] : [changed, moved];
        const number = await begin(world.admin, 'large', { original: [file(text)], ours, theirs });
        const { status, body } = await merge(world.admin, number);
        expect(status).toBe(409);
        expect(body.errors[0].message).toMatch(/both change files larger than 8 MiB: "lines\.txt"/);
      },
    );

    it('merges large files that one branch has only renamed', async () => {
      await start({});
      const text = '\n'.repeat(9 * MIB);
      const ours = [{ path: 'lines.txt' }, file(text, 'moved.txt')];
      const theirs = [file(`first${text}`)];
      const number = await begin(world.admin, 'large', { original: [file(text)], ours, theirs });
      expect((await merge(world.admin, number)).status).toBe(200);
      expect(await served.onServer('cat-file', '-s', 'main:moved.txt')).toBe(String(9 * MIB + 5));
    });

    it('returns 409 when preparing a merge needs too much memory', async () => {
      await start({});
      // The folder takes more than the limit.
      const many = Array.from({ length: 10_000 }, (_, index) => file('', `${index}`));
      const original = [...many, file('a', 'a'), file('b', 'b')];
      const versions = { original, ours: [file('A', 'a')], theirs: [file('B', 'b')] };
      const number = await begin(world.admin, 'wide', versions);
      vi.spyOn(LIMITED_MEMORY, 'GIT_ALLOC_LIMIT', 'get').mockReturnValue('200k');
      const { status, body } = await merge(world.admin, number);
      expect([status, body]).toEqual([409, errorShape(7, ['statusId'])]);
      expect(body.errors[0].message).toMatch(
        /cannot be merged on the server: the merge needs too much memory or time/,
      );
    });

    it('merges files of ordinary size', async () => {
      await start({});
      const number = await begin(world.admin, 'small', linesOf(MIB));
      expect((await merge(world.admin, number)).status).toBe(200);
    });
  });
});
