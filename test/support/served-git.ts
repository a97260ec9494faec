import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { deflateSync } from 'node:zlib';
import { GitProgram } from '../../src/git/git-program';
import { GitStore } from '../../src/git/git-store';
import { pktLine } from '../../src/git-repositories/serving/pkt-line';
import { NO_HASH } from '../../src/git-repositories/refs/ref-names';
import { GitFolder, WITH_GIT } from './git';
import { RawConnection } from './raw-connection';
import { type Person, type ProjectFixture, World } from './world';

/** A pack without objects. */
export const EMPTY_PACK = packOf(0);

/** Returns a pack that claims to have some objects and has none. */
export function packOf(objects: number): Buffer {
  const head = Buffer.alloc(12, 'PACK');
  head.writeUInt32BE(2, 4);
  head.writeUInt32BE(objects, 8);
  return Buffer.concat([head, createHash('sha1').update(head).digest()]);
}

/** Returns a pack with a file of less than 16 MiB, and deltas that repeat it a number of times and append a text. */
export function deltaPack(base: Buffer, files: readonly { copies: number; end: string }[]): Buffer {
  const id = createHash('sha1').update(`blob ${base.length}\0`).update(base).digest();
  const length = Buffer.alloc(4);
  length.writeUInt32LE(base.length);
  // Copies the whole file from its start.
  const copy = Buffer.from([0xf0, ...length.subarray(0, 3)]);
  const deltas = files.map(({ copies, end }) => {
    const sizes = [digits(base.length), digits(copies * base.length + end.length)];
    const copied = Array.from({ length: copies }, () => copy);
    return Buffer.concat([...sizes, ...copied, Buffer.from([end.length]), Buffer.from(end)]);
  });
  const content = Buffer.concat([
    packOf(files.length + 1).subarray(0, 12),
    entryHead(BLOB, base.length),
    deflateSync(base),
    ...deltas.flatMap((delta) => [entryHead(DELTA, delta.length), id, deflateSync(delta)]),
  ]);
  return Buffer.concat([content, createHash('sha1').update(content).digest()]);
}

const BLOB = 3;
const DELTA = 7;

/** Returns a number in seven-bit groups, the lowest first. */
const digits = (number: number): Buffer =>
  Buffer.from(number < 0x80 ? [number] : [(number & 0x7f) | 0x80, ...digits(Math.floor(number / 0x80))]);

/** Returns the type and size of an object in a pack. */
function entryHead(type: number, size: number): Buffer {
  const first = (type << 4) | (size & 0x0f);
  if (size < 0x10) return Buffer.from([first]);
  return Buffer.concat([Buffer.from([first | 0x80]), digits(Math.floor(size / 0x10))]);
}

/** Returns the body of a push that creates refs to an existing commit, without side bands by default. */
export const creationOf = (
  hash: string,
  refs: readonly (string | Buffer)[],
  pack = EMPTY_PACK,
  capabilities = 'report-status agent=test',
): Buffer =>
  Buffer.concat([
    ...refs.map((ref, index) => pktLine(`${NO_HASH} ${hash} `, ref, index === 0 ? `\0${capabilities}` : '')),
    Buffer.from('0000'),
    pack,
  ]);

/** Commits a file. */
export async function commitFile(
  clone: GitFolder,
  name: string,
  content: string | Buffer = name,
): Promise<string> {
  await writeFile(join(clone.path, name), content);
  await clone.git('add', name);
  return clone.commit('-m', `Add ${name}`);
}

/** Commits a file and pushes it to the default branch. */
export async function pushFile(clone: GitFolder, name: string, content?: string | Buffer): Promise<string> {
  const head = await commitFile(clone, name, content);
  await clone.git('push', '--quiet', 'origin', 'main');
  return head;
}

/** Resolves once a condition holds; the test's own timeout ends the wait otherwise. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await sleep(10);
}

/** The addresses of a project's repository, and requests to them that git itself does not send. */
export class ServedGit {
  constructor(
    private readonly world: World,
    private readonly project: ProjectFixture,
  ) {}

  get path(): string {
    return `/git/${this.project.key}/${this.project.repositoryName}.git`;
  }

  get origin(): string {
    return new URL(this.world.server.baseUrl).origin;
  }

  /** Returns the URL with a person's name and key. */
  urlFor({ name, key }: Pick<Person, 'name' | 'key'>): string {
    const url = new URL(this.origin + this.path);
    url.username = userIdOf(name);
    url.password = key;
    return url.href;
  }

  clone(folder: GitFolder, person: Person, name = 'clone', ...args: string[]): Promise<GitFolder> {
    return folder.git('clone', '--quiet', ...args, this.urlFor(person), name).then(() => folder.in(name));
  }

  get(path: string, key?: string, headers: Record<string, string> = {}): Promise<Response> {
    return fetch(`${this.origin}${this.path}${path}`, { headers: { ...keyHeader(key), ...headers } });
  }

  post(
    service: string,
    key: string,
    body: string | Buffer,
    headers: Record<string, string> = {},
  ): Promise<Response> {
    return fetch(`${this.origin}${this.path}/${service}`, {
      method: 'POST',
      headers: { ...keyHeader(key), 'Content-Type': `application/x-${service}-request`, ...headers },
      body: typeof body === 'string' ? body : new Uint8Array(body),
    });
  }

  /** Opens a push whose body the test sends itself. */
  async openPush(key: string, length: number): Promise<RawConnection> {
    const connection = await RawConnection.open(this.origin);
    return connection.send(
      `POST ${this.path}/git-receive-pack HTTP/1.1\r\nHost: a\r\nX-API-Key: ${key}\r\n` +
        `Content-Type: application/x-git-receive-pack-request\r\nContent-Length: ${length}\r\n\r\n`,
    );
  }

  /** Runs git in the folder of the repository on the server. */
  async onServer(...args: string[]): Promise<string> {
    const repository = await this.world.service(GitStore).open(this.project.repositoryId);
    return this.world.service(GitProgram).text(args, { repository, userId: 0 });
  }

  /** Does the same with input. */
  async onServerWith(input: string, ...args: string[]): Promise<string> {
    const repository = await this.world.service(GitStore).open(this.project.repositoryId);
    return this.world.service(GitProgram).text(args, { repository, userId: 0, input });
  }

  /** Resolves when no git process is running. */
  whenIdle(): Promise<void> {
    return until(() => this.world.service(GitProgram).running === 0);
  }

  /** Resolves when a git process is running. */
  whenBusy(): Promise<void> {
    return until(() => this.world.service(GitProgram).running > 0);
  }
}

/** A project whose repository is served. */
interface ServedProject {
  project: ProjectFixture;
  served: ServedGit;
  /** An empty folder for clones, which the test removes. */
  folder: GitFolder;
}

/** Adds a project with an empty repository. */
async function addServedProject(world: World): Promise<ServedProject> {
  const project = await world.addProject();
  return { project, served: new ServedGit(world, project), folder: await GitFolder.make() };
}

/** Adds a project with a member, who has cloned its empty repository. */
export async function addClonedProject(
  world: World,
): Promise<ServedProject & { member: Person; clone: GitFolder }> {
  const added = await addServedProject(world);
  const member = await world.addMember(added.project);
  return { ...added, member, clone: await added.served.clone(added.folder, member) };
}

/** Starts a world with some settings and a project with an empty repository. The test stops it. */
export async function startServedGit(
  environment: Readonly<Record<string, string>>,
): Promise<ServedProject & { world: World }> {
  const world = await World.start({ ...WITH_GIT, ...environment });
  return { world, ...(await addServedProject(world)) };
}

/** Returns the user id with which a person of a world signs in. */
export const userIdOf = (name: string): string =>
  name === 'Administrator' ? 'admin' : name.replace('User ', 'user');

const keyHeader = (key: string | undefined): Record<string, string> =>
  key === undefined ? {} : { 'X-API-Key': key };
