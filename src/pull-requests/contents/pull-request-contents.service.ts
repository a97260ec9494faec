import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { NoResourceError } from '../../errors/domain-errors';
import { ChangedFilesService } from '../../git-repositories/contents/changed-files.service';
import { CommitsService } from '../../git-repositories/contents/commits.service';
import { commitsOf, ComparisonService } from '../../git-repositories/contents/comparison.service';
import { type ChangedFileDto } from '../../git-repositories/contents/dto/changed-file.dto';
import { type CommitDto } from '../../git-repositories/contents/dto/commit.dto';
import { type ListContentsQuery } from '../../git-repositories/contents/dto/contents-queries.dto';
import { type GitReading, GitReaderService } from '../../git-repositories/contents/git-reader.service';
import { FileAnswer } from '../../http/response/file-answer';
import { Page } from '../../paging/page';
import { PullRequestRepository } from '../data/pull-request.repository';
import { type PullRequestResource } from '../pull-request.loader';
import { type PullRequestRange, rangeOf } from './pull-request-range';

/** A pull request whose contents are read, and the user who reads them. */
export interface PullRequestReading {
  pullRequest: PullRequestResource;
  userId: number;
  /** Aborted when the client disconnects. */
  signal: AbortSignal;
}

interface Found {
  reading: GitReading;
  number: number;
  /** Undefined when its branches do not exist. */
  range: PullRequestRange | undefined;
}

/** Reads the commits and the changes of pull requests; empty for one whose branches have never existed. */
@Injectable()
export class PullRequestContentsService {
  constructor(
    private readonly pullRequests: PullRequestRepository,
    private readonly reader: GitReaderService,
    private readonly commits: CommitsService,
    private readonly changedFiles: ChangedFilesService,
    private readonly comparison: ComparisonService,
  ) {}

  /** Returns one page of the commits, newest first. */
  async listCommits(of: PullRequestReading, query: ListContentsQuery): Promise<Page<CommitDto>> {
    const { reading, range } = await this.find(of);
    return range ? this.commits.findPage(reading, [commitsOf(range), '--'], query) : new Page([]);
  }

  /** Returns one page of the changed files. */
  async listFiles(of: PullRequestReading, query: ListContentsQuery): Promise<Page<ChangedFileDto>> {
    const { reading, range } = await this.find(of);
    if (!range) return new Page([]);
    const since = await this.comparison.sinceMergeBase(reading, range);
    const { files, total } = await this.changedFiles.find(reading, since, query);
    const next = query.offset + query.count;
    return new Page(files, total > next ? { offset: next } : undefined);
  }

  /** Returns all changes in the format of `git diff`. */
  async diff(of: PullRequestReading): Promise<FileAnswer> {
    const { reading, range, number } = await this.find(of);
    const name = `${number}.diff`;
    return range ? this.comparison.diff(reading, range, name) : emptyFile(name);
  }

  /** Returns all commits in the format of `git am`. */
  async patch(of: PullRequestReading): Promise<FileAnswer> {
    const { reading, range, number } = await this.find(of);
    const name = `${number}.patch`;
    return range ? this.comparison.patch(reading, range, name) : emptyFile(name);
  }

  private async find({ pullRequest, userId, signal }: PullRequestReading): Promise<Found> {
    const row = await this.pullRequests.findCommits(pullRequest.id);
    if (!row) throw new NoResourceError('pull request');
    const reading = { repositoryId: row.repositoryId, userId, signal };
    const range = await rangeOf(row, (revisions) => this.reader.findRevisions(reading, revisions));
    return { reading, number: row.number, range };
  }
}

const emptyFile = (name: string): FileAnswer =>
  new FileAnswer({
    name,
    size: 0,
    contentType: 'text/plain; charset=utf-8',
    open: () => Promise.resolve(Readable.from([])),
  });
