import { DataSource, type EntityManager } from 'typeorm';
import { BackgroundService } from '../../src/background/background.service';
import { CommentsService } from '../../src/comments/comments.service';
import { TransactionsService } from '../../src/database/transactions/transactions.service';
import { SampleProjectsService } from '../../src/first-start/sample-projects.service';
import { GitProgram } from '../../src/git/git-program';
import { GitFoldersService } from '../../src/git-repositories/storage/git-folders.service';
import { ProjectsService } from '../../src/projects/projects.service';
import { startTestServer, type TestServer } from '../../src/testing';
import { generateApiKey } from '../../src/users/api-key';
import { ApiKeysService } from '../../src/users/api-keys.service';
import { RoleType } from '../../src/access/role-type';
import { PasswordHasherService } from '../../src/users/passwords/password-hasher.service';
import { UsersService } from '../../src/users/users.service';
import { ViewsService } from '../../src/views/views.service';
import { DispatcherService } from '../../src/webhooks/sending/dispatcher.service';
import { ApiClient } from './api';
import { isInBackground, startInBackground, watchRequests } from './background-statements';
import { type LastingTestDatabase, type TestDatabase } from './database';
import { createMigratedDatabase, startInMigratedMemory } from './template';

/** A user whose key sends requests. */
export interface Person {
  id: number;
  name: string;
  key: string;
  api: ApiClient;
}

/** A project with one item of each kind. */
export interface ProjectFixture {
  id: number;
  key: string;
  issueId: number;
  issueKey: string;
  issueThreadId: number;
  issueTypeId: number;
  /** The id of the status Open. */
  statusId: number;
  repositoryId: number;
  repositoryName: string;
  pullRequestNumber: number;
  pullRequestThreadId: number;
  wikiId: number;
}

/** Settings of the service, named as in `.env.example`. */
export type Environment = Record<string, string>;

/** Hashing thousands of passwords at full cost takes a minute of processor time. */
const QUICK_COST = 16;

/** A database that the world does not own, or one in memory: neither is dropped. */
const GIVEN_DATABASE: TestDatabase = { url: undefined, drop: () => Promise.resolve() };

/** Looks for git, as part of the program that is tested. */
interface GitFinder {
  environment: { GIT_PATH: string; searchPath: string };
  findVersion: (this: GitFinder) => Promise<string>;
}

/** The version of this machine's git by search path, because each look starts a process. */
const foundGits = new Map<string, string>();
const finder = GitProgram.prototype as unknown as GitFinder;
const { findVersion } = finder;
finder.findVersion = async function () {
  const { GIT_PATH, searchPath } = this.environment;
  // A test can put a git elsewhere, and remove it after the start.
  if (!isInBackground() || GIT_PATH !== 'git') return findVersion.call(this);
  const found = foundGits.get(searchPath) ?? (await findVersion.call(this));
  foundGits.set(searchPath, found);
  return found;
};

/** A running service with its own database, and shortcuts to fill it. */
export class World {
  /** The administrator of the first start. */
  readonly admin: Person;
  private counter = 0;

  private constructor(
    readonly server: TestServer,
    adminId: number,
    private readonly dropDatabase: () => Promise<void>,
  ) {
    this.admin = {
      id: adminId,
      name: 'Administrator',
      key: server.adminKey,
      api: new ApiClient(server.baseUrl, server.adminKey),
    };
  }

  /** @param environment the world has its own database unless it contains `DATABASE_URL` */
  static async start(environment: Environment = {}): Promise<World> {
    const isInMemory = !environment.DATABASE_URL && !process.env.TEST_DATABASE_URL;
    const database = isInMemory || environment.DATABASE_URL ? GIVEN_DATABASE : await createMigratedDatabase();
    const start = (): Promise<TestServer> =>
      startInBackground(() => startTestServer({ database: database.url, demo: false, environment }));
    const server = await (isInMemory ? startInMigratedMemory(start) : start());
    watchRequests(server.app.getHttpServer());
    server.app.get(PasswordHasherService).cost = QUICK_COST;
    const [admin] = await server.app
      .get(DataSource)
      .query<[{ id: number | string }]>("SELECT id FROM user WHERE user_id = 'admin'");
    return new World(server, Number(admin.id), database.drop);
  }

  async stop(): Promise<void> {
    await this.server.close();
    await this.dropDatabase();
  }

  /** Stops sending webhooks and writing views, so that only requests access the database. */
  async stopDeliveries(): Promise<void> {
    await this.service(DispatcherService).beforeApplicationShutdown();
    await this.service(ViewsService).beforeApplicationShutdown();
  }

  /** Resolves when no background work is removing or writing data. */
  async whenIdle(): Promise<void> {
    await this.service(ViewsService).flush();
    await this.service(GitFoldersService).whenIdle();
    await this.background.whenIdle();
  }

  get background(): BackgroundService {
    return this.service(BackgroundService);
  }

  /** Starts all periodic background work. */
  startBackgroundWork(): void {
    const { works } = this.background as unknown as { works: { start(): void }[] };
    for (const work of works) work.start();
  }

  /** A client without a credential. */
  get anonymous(): ApiClient {
    return new ApiClient(this.server.baseUrl, undefined);
  }

  get dataSource(): DataSource {
    return this.server.app.get(DataSource);
  }

  /** Returns a unique name. */
  uniqueName(kind: string): string {
    return `${kind} ${++this.counter}`;
  }

  /** Adds a user with a key. */
  async addUser(roleType: RoleType = RoleType.NormalUser): Promise<Person> {
    const name = `User ${++this.counter}`;
    const key = generateApiKey();
    const id = await this.write(async (manager) => {
      const userId = await this.service(UsersService).add(manager, {
        userId: `user${this.counter}`,
        name,
        roleType,
        mailAddress: `user${this.counter}@example.com`,
      });
      await this.service(ApiKeysService).add(manager, userId, key, { name: 'test' });
      return userId;
    });
    return { id, name, key, api: new ApiClient(this.server.baseUrl, key) };
  }

  /** Adds a user who is a member of a project. */
  async addMember(
    project: { id: number },
    roleType: RoleType = RoleType.NormalUser,
    projectAdministrator = false,
  ): Promise<Person> {
    const person = await this.addUser(roleType);
    await this.join(project, person, projectAdministrator);
    return person;
  }

  /** Makes a person a member of a project. */
  async join(project: { id: number }, person: { id: number }, projectAdministrator = false): Promise<void> {
    await this.write((manager) =>
      this.service(ProjectsService).addMember(manager, project.id, person.id, projectAdministrator),
    );
  }

  /** Adds a team of these people over HTTP, and adds it to a project if one is given. */
  async addTeam(
    members: readonly { id: number }[] = [],
    project?: { id: number },
  ): Promise<{ id: number; name: string }> {
    const name = this.uniqueName('Team');
    const { body } = await this.admin.api.post<{ id: number }>('/teams', {
      name,
      members: members.map(({ id }) => id),
    });
    if (project) await this.admin.api.post(`/projects/${project.id}/teams`, { teamId: body.id });
    return { id: body.id, name };
  }

  /** Adds a project with an issue, a pull request and a wiki page, none of which has a comment. */
  async addProject(): Promise<ProjectFixture> {
    const key = `PRJ${++this.counter}`;
    const createdUserId = this.admin.id;
    const repositoryName = `repo-${key.toLowerCase()}`;
    const { projectId, issue, pullRequest, ...ids } = await this.write((manager) =>
      this.service(SampleProjectsService).add(manager, {
        projectKey: key,
        name: `Project ${key}`,
        members: [],
        issue: { summary: 'An issue', description: 'Its description', createdUserId },
        repository: { name: repositoryName, createdUserId },
        pullRequest: { summary: 'A pull request', description: '', branch: 'feature', createdUserId },
        wiki: { name: 'Home', content: 'Its content', createdUserId },
      }),
    );
    return {
      ...ids,
      id: projectId,
      key,
      issueId: issue.id,
      issueKey: `${key}-${issue.keyId}`,
      issueThreadId: issue.threadId,
      repositoryName,
      pullRequestNumber: pullRequest.number,
      pullRequestThreadId: pullRequest.threadId,
    };
  }

  /** Adds a person's comment to an issue's or a pull request's thread, and returns its id. */
  addComment(threadId: number, author: { id: number }, content = 'A comment'): Promise<number> {
    return this.write(async (manager) => {
      const [thread] = await manager.query<[{ projectId: number }]>(
        'SELECT project_id AS projectId FROM comment_thread WHERE id = ?',
        [threadId],
      );
      return this.service(CommentsService).add(manager, {
        projectId: thread.projectId,
        threadId,
        content,
        changeLog: [],
        author,
        created: Date.now(),
      });
    });
  }

  /** Uploads a file as a person and returns its id. */
  async addUpload(person: Person, content = 'content', name = 'file.txt'): Promise<number> {
    const { body } = await person.api.upload<{ id: number }>(content, name);
    return body.id;
  }

  /** Runs work in one transaction. */
  write<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    return this.service(TransactionsService).run(work);
  }

  service<T>(type: new (...dependencies: never[]) => T): T {
    return this.server.app.get<T>(type, { strict: false });
  }
}

/** Gives access to the world once it has started. */
export interface Started {
  readonly world: World;
}

/**
 * Starts a world before the tests of a suite, or of a `describe`, and stops it after them.
 * @param environment a function when the settings are known only by then
 */
export function useWorld(environment?: Environment | (() => Environment)): Started {
  let world: World | undefined;
  beforeAll(async () => {
    world = await World.start(typeof environment === 'function' ? environment() : environment);
  });
  afterAll(() => world?.stop());
  return {
    get world() {
      if (!world) throw new Error('The world starts with the tests.');
      return world;
    },
  };
}

/**
 * Starts a world for each test, which the test may stop, on a database that other processes can open too.
 * @param environment called for each test
 */
export function useSharedDatabase(
  environment: () => Environment,
): Started & { readonly databaseUrl: string } {
  let database: LastingTestDatabase;
  let world: World;
  beforeEach(async () => {
    database = await createMigratedDatabase();
    world = await World.start({ ...environment(), DATABASE_URL: database.url });
  });
  afterEach(async () => {
    await world.stop();
    await database.drop();
  });
  return {
    get world() {
      return world;
    },
    get databaseUrl() {
      return database.url;
    },
  };
}

/** Path of a project's pull request comments. */
export const pullRequestComments = (project: ProjectFixture): string =>
  `/projects/${project.key}/git/repositories/${project.repositoryName}/pullRequests/${project.pullRequestNumber}/comments`;
