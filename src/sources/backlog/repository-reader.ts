import { parseUrl } from '../../config/parse-url';
import { type GitClones } from '../git-clones';
import { type SourceRepository } from '../model';
import { repositoryNames } from '../names';
import { type Context, readFiles, starsOf } from './context';
import { toComment } from './issue-reader';
import * as wire from './wire';

/** Reads the git repositories of a project, with their pull requests. */
export class RepositoryReader {
  constructor(
    private readonly context: Context,
    private readonly clones: GitClones,
  ) {}

  async read(project: wire.WireProject): Promise<void> {
    const { api, builder, losses } = this.context;
    const path = `/projects/${project.id}/git/repositories`;
    const repositories = await api.optionalList(wire.repository, path);
    if (!repositories && project.useGit)
      losses.note('Git repositories that the key may not see', project.projectKey);
    const names = repositoryNames(repositories ?? []);
    for (const found of repositories ?? []) {
      const repository = this.toRepository(found, project.id, names.get(found.id) as string);
      const clone = await this.clones.clone(
        { name: `${found.id}`, path: parseUrl(found.httpUrl)?.pathname ?? '' },
        (reason) =>
          losses.note('Commits of git repositories that cannot be cloned', `${found.name}: ${reason}`),
      );
      builder.repository(repository, clone);
      await this.pullRequests(project, repository, `${path}/${found.id}/pullRequests`);
    }
  }

  private toRepository(repository: wire.WireRepository, projectId: number, name: string): SourceRepository {
    const { losses, people } = this.context;
    const { id, description, displayOrder, created } = repository;
    if (name !== repository.name)
      losses.note('Names of git repositories that the service does not accept', repository.name);
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
        for await (const comments of api
          .about(found)
          .pagesById(wire.comment, (one) => one.id, `${path}/${number}/comments`)) {
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
