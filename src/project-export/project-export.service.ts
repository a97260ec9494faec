import { Injectable } from '@nestjs/common';
import { OPERATOR } from '../access/caller';
import { CommentsService } from '../comments/comments.service';
import { VERSION } from '../config/version';
import { CustomFieldsService } from '../custom-fields/custom-fields.service';
import { NoResourceError } from '../errors/domain-errors';
import { DocumentCommentReaderService } from '../documents/comments/document-comment-reader.service';
import { DocumentReaderService } from '../documents/document-reader.service';
import { bundleParts } from '../git/git-bundle';
import { GitProgram } from '../git/git-program';
import { GitStore } from '../git/git-store';
import { GitRepositoriesService } from '../git-repositories/git-repositories.service';
import { toTimestamp } from '../http/request/timestamp';
import { IssueReaderService } from '../issues/issue-reader.service';
import { CategoriesService } from '../project-settings/categories.service';
import { IssueTypesService } from '../project-settings/issue-types.service';
import { StatusesService } from '../project-settings/statuses.service';
import { VersionsService } from '../project-settings/versions.service';
import { ProjectsService } from '../projects/projects.service';
import { PullRequestReaderService } from '../pull-requests/pull-request-reader.service';
import { TeamReaderService } from '../teams/team-reader.service';
import { SharedFilesService } from '../shared-files/shared-files.service';
import { WebhooksService } from '../webhooks/webhooks.service';
import { WikiListsService } from '../wikis/wiki-lists.service';
import { WikisService } from '../wikis/wikis.service';

/** Format of the lines; a different number means that old readers cannot read them. */
const FORMAT = 1;
/** Number of comments read at once; each may reference a thousand people. */
const COMMENTS_AT_ONCE = 20;
/** Bundle bytes per line: a multiple of three, so that the base64 texts of the lines can be concatenated. */
const BUNDLE_BYTES = 3 * 256 * 1024;

/** One line of an export. */
export interface ExportLine {
  /** Kind of `data`. */
  type: string;
  /** The issue, pull request or document that a comment belongs to, or the repository of a bundle. */
  of?: number | string;
  /** The data as the API returns it. */
  data: object;
}

const REQUESTER = { userId: OPERATOR.id, signal: new AbortController().signal };

/**
 * Exports a project line by line: the project, its members, teams and settings, issues, documents and pull requests each followed by their
 * comments, git repositories as bundles, wiki pages, shared files without their contents, webhooks without their secrets. Files are
 * described where they are attached. Every statement reads a limited number of rows and nothing is kept, so that the size of a project does
 * not matter. The lines are not a snapshot: data that changes during the export appears in one state or the other.
 */
@Injectable()
export class ProjectExportService {
  constructor(
    private readonly projects: ProjectsService,
    private readonly teams: TeamReaderService,
    private readonly issueTypes: IssueTypesService,
    private readonly statuses: StatusesService,
    private readonly categories: CategoriesService,
    private readonly versions: VersionsService,
    private readonly customFields: CustomFieldsService,
    private readonly issues: IssueReaderService,
    private readonly comments: CommentsService,
    private readonly wikis: WikisService,
    private readonly wikiLists: WikiListsService,
    private readonly documents: DocumentReaderService,
    private readonly documentComments: DocumentCommentReaderService,
    private readonly repositories: GitRepositoriesService,
    private readonly pullRequests: PullRequestReaderService,
    private readonly webhooks: WebhooksService,
    private readonly sharedFiles: SharedFilesService,
    private readonly git: GitProgram,
    private readonly store: GitStore,
  ) {}

  /**
   * Yields the lines of a project's export. The last line has the type `end`: without it, an export is incomplete.
   * @param isWithoutBundles omits the contents of git repositories
   * @throws NoResourceError if there is no such project or it is deleted during the export; GitUnavailableError without git
   */
  async *lines(projectKey: string, isWithoutBundles = false): AsyncGenerator<ExportLine> {
    const { id } = await this.projects.getVisible(OPERATOR, projectKey);
    yield { type: 'export', data: { format: FORMAT, version: VERSION, exported: toTimestamp(Date.now()) } };
    yield { type: 'project', data: await this.projects.get(id) };
    yield* this.membersOf(id);
    yield* linesOf('team', await this.teams.listOfProject(id));
    yield* linesOf('issueType', await this.issueTypes.list(id));
    yield* linesOf('status', await this.statuses.list(id));
    yield* linesOf('category', await this.categories.list(id));
    yield* linesOf('version', await this.versions.list(id));
    yield* linesOf('customField', await this.customFields.list(id));
    yield* this.issuesOf(id);
    yield* this.wikisOf(id);
    for await (const data of this.sharedFiles.eachOfProject(id)) yield { type: 'sharedFile', data };
    yield* this.documentsOf(id);
    yield* this.repositoriesOf(id, isWithoutBundles);
    yield* linesOf('webhook', await this.webhooks.list(id));
    // The export of a deleted project may be incomplete.
    await this.projects.get(id);
    yield { type: 'end', data: {} };
  }

  private async *membersOf(projectId: number): AsyncGenerator<ExportLine> {
    const administrators = new Set((await this.projects.getAdministrators(projectId)).map(({ id }) => id));
    for (const user of await this.projects.getMembers(projectId)) {
      yield { type: 'member', data: { ...user, isProjectAdministrator: administrators.has(user.id) } };
    }
  }

  private async *issuesOf(projectId: number): AsyncGenerator<ExportLine> {
    for await (const { threadId, issue } of this.issues.eachOfProject(projectId)) {
      yield { type: 'issue', data: issue };
      yield* this.commentsOf(threadId, 'issueComment', issue.id);
    }
  }

  private async *wikisOf(projectId: number): AsyncGenerator<ExportLine> {
    for (const { id } of await this.wikiLists.list(projectId)) {
      try {
        yield { type: 'wiki', data: await this.wikis.get(id) };
      } catch (error) {
        // The page has just been deleted.
        if (!(error instanceof NoResourceError)) throw error;
      }
    }
  }

  private async *documentsOf(projectId: number): AsyncGenerator<ExportLine> {
    for await (const { threadId, document } of this.documents.eachOfProject(projectId)) {
      yield { type: 'document', data: document };
      for (const comment of await this.documentComments.list(threadId)) {
        yield { type: 'documentComment', of: document.id, data: comment };
      }
    }
  }

  private async *repositoriesOf(projectId: number, isWithoutBundles: boolean): AsyncGenerator<ExportLine> {
    for (const repository of await this.repositories.list(projectId)) {
      yield { type: 'repository', data: repository };
      if (!isWithoutBundles) yield* this.bundleOf(repository.id);
      for await (const { threadId, pullRequest } of this.pullRequests.eachOfRepository(repository.id)) {
        yield { type: 'pullRequest', data: pullRequest };
        yield* this.commentsOf(threadId, 'pullRequestComment', pullRequest.id);
      }
    }
  }

  /** Yields the bundle of a repository, which git can clone, as lines of base64. */
  private async *bundleOf(repositoryId: number): AsyncGenerator<ExportLine> {
    if (!(await this.store.has(repositoryId))) return;
    let rest = Buffer.alloc(0);
    const line = (bytes: Buffer): ExportLine => ({
      type: 'repositoryBundle',
      of: repositoryId,
      data: { base64: bytes.toString('base64') },
    });
    try {
      for await (const { bytes } of bundleParts(this.git, await this.store.open(repositoryId), 1)) {
        rest = Buffer.concat([rest, bytes]);
        for (; rest.length >= BUNDLE_BYTES; rest = rest.subarray(BUNDLE_BYTES)) {
          yield line(rest.subarray(0, BUNDLE_BYTES));
        }
      }
    } catch (error) {
      // The repository has just been removed.
      if (!(error instanceof NoResourceError)) throw error;
      return;
    }
    if (rest.length > 0) yield line(rest);
  }

  private async *commentsOf(threadId: number, type: string, of: number): AsyncGenerator<ExportLine> {
    let next: { minId?: number } | undefined = {};
    while (next) {
      const query = { count: COMMENTS_AT_ONCE, offset: 0, order: 'asc' as const, ...next };
      const page = await this.comments.list(threadId, query, REQUESTER);
      for (const comment of page.items) yield { type, of, data: comment };
      next = page.next;
    }
  }
}

function* linesOf(type: string, items: readonly object[]): Generator<ExportLine> {
  for (const data of items) yield { type, data };
}
