import { rename, rm, stat } from 'node:fs/promises';
import { NOBODY } from '../../git/git-pools';
import { type GitProgram } from '../../git/git-program';
import { isMissing } from '../../errors/missing-file';
import { type SourceRepository } from '../model';
import { type Spool } from '../spool/spool';
import { type Context, readFiles, starsOf } from './context';
import { toComment } from './issue-reader';
import * as wire from './wire';

/** A clone takes as long as its repository is large. */
const CLONE_TIMEOUT_MS = 24 * 3_600_000;

/** How git repositories are cloned. */
export interface Cloning {
  git: GitProgram;
  spool: Spool;
  /** The origin of the source. */
  origin: string;
  user: string;
  password: string;
}

/** Reads the git repositories of a project, with their pull requests. */
export class RepositoryReader {
  constructor(
    private readonly context: Context,
    private readonly cloning: Cloning,
  ) {}

  async read(project: wire.WireProject): Promise<void> {
    const { api, builder, losses } = this.context;
    const path = `/projects/${project.id}/git/repositories`;
    const repositories = await api.optionalList(wire.repository, path);
    if (!repositories && project.useGit)
      losses.note('Git repositories that the key may not see', project.projectKey);
    for (const found of repositories ?? []) {
      const repository = this.toRepository(found, project.id);
      builder.repository(repository, await this.clone(found));
      await this.pullRequests(project, repository, `${path}/${found.id}/pullRequests`);
    }
  }

  private toRepository(repository: wire.WireRepository, projectId: number): SourceRepository {
    const { people } = this.context;
    const { id, name, description, displayOrder, created } = repository;
    const createdUserId = people.idOf(repository.createdUser);
    return {
      ...{ id, projectId, name, description, displayOrder, created, createdUserId },
      pushedAt: repository.pushedAt ?? null,
      updatedUserId: repository.updatedUser ? people.idOf(repository.updatedUser) : createdUserId,
      updated: repository.updated ?? created,
      protectsDefaultBranch: repository.protectsDefaultBranch ?? true,
      ...(repository.defaultBranch && { defaultBranch: repository.defaultBranch }),
    };
  }

  /** Returns the folder of a bare clone; undefined, with a loss, if there is none. */
  private async clone({
    id,
    name,
    httpUrl,
  }: wire.WireRepository): Promise<{ path: string; head: string } | undefined> {
    const { git, spool, origin, user, password } = this.cloning;
    const { losses } = this.context;
    const path = spool.path('git', `${id}.git`);
    if (!(await exists(path))) {
      // The password goes to the source alone, whatever address it names.
      const address = URL.canParse(httpUrl) ? `${origin}${new URL(httpUrl).pathname}` : origin;
      const partial = `${path}.partial`;
      await rm(partial, { recursive: true, force: true });
      try {
        await git.run(['clone', '--quiet', '--mirror', '--', address, partial], {
          userId: NOBODY,
          timeoutMs: CLONE_TIMEOUT_MS,
          config: { 'http.followRedirects': 'false', [`protocol.${origin.split(':')[0]}.allow`]: 'always' },
          // Not among the arguments, which every user of the machine can see.
          env: {
            GIT_CONFIG_COUNT: '1',
            GIT_CONFIG_KEY_0: `http.${origin}/.extraHeader`,
            GIT_CONFIG_VALUE_0: `Authorization: Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
          },
        });
      } catch (error) {
        losses.note('Commits of git repositories that cannot be cloned', `${name}: ${lastLine(error)}`);
        return undefined;
      }
      await rename(partial, path);
    }
    return { path, head: await git.text(['symbolic-ref', 'HEAD'], { repository: path, userId: NOBODY }) };
  }

  private async pullRequests(
    project: wire.WireProject,
    repository: SourceRepository,
    path: string,
  ): Promise<void> {
    const { api, builder, people, onProgress } = this.context;
    let done = 0;
    for await (const page of api.pagesByOffset(wire.pullRequest, ({ id }) => id, path)) {
      for (const found of page) {
        if (builder.has('pullRequest', found.id)) continue;
        const { id, number, summary, description, base, branch, created, updated } = found;
        builder.pullRequest({
          ...{ id, number, summary, description, base, branch, created, updated },
          projectId: project.id,
          repositoryId: repository.id,
          statusId: found.status.id,
          assigneeId: people.idOrNull(found.assignee),
          issueId: found.issue?.id ?? null,
          baseCommit: found.baseCommit ?? null,
          branchCommit: found.branchCommit ?? null,
          mergeCommit: found.mergeCommit ?? null,
          closeAt: found.closeAt ?? null,
          mergeAt: found.mergeAt ?? null,
          createdUserId: people.idOf(found.createdUser),
          updatedUserId: people.idOf(found.updatedUser ?? found.createdUser),
          files: await readFiles(this.context, `${path}/${number}/attachments`, found.attachments, created),
          stars: starsOf(this.context, found.stars),
        });
        for await (const comments of api.pagesById(
          wire.comment,
          (one) => one.id,
          `${path}/${number}/comments`,
        )) {
          for (const comment of comments)
            builder.comment('pullRequest', id, toComment(this.context, comment));
        }
        builder.endSubject('pullRequest', id);
        done++;
        onProgress?.({ what: `pull requests of ${repository.name}`, done, total: 0 });
      }
    }
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (!isMissing(error)) throw error;
    return false;
  }
}

/** Returns what git says last. */
const lastLine = (error: unknown): string =>
  (error as Error).message.trim().split('\n').at(-1)?.slice(0, 200) ?? '';
