import { Injectable } from '@nestjs/common';
import { type AuthorizedSearcher } from '../../access/access';
import { Environment } from '../../config/environment';
import { ProjectsService } from '../../projects/projects.service';
import {
  DiskUsageRepository,
  type StoredFor,
  type StoredSizes,
  type UsageRow,
} from '../data/disk-usage.repository';
import { type DiskUsageDto, type ProjectDiskUsageDto, type SpaceDiskUsageDto } from './dto/disk-usage.dto';

/** What files are stored for, as the wire calls it. */
export type UsageKind = keyof DiskUsageDto;

const NOTHING: Readonly<DiskUsageDto> = {
  issue: 0,
  wiki: 0,
  file: 0,
  subversion: 0,
  git: 0,
  gitLFS: 0,
  document: 0,
  pullRequest: 0,
};

/**
 * How many bytes the files of projects take: the sums of their sizes at that moment, each file once, because it is attached to one
 * thing. Uploads that are attached to nothing belong to no project (`docs/decisions/0040-shared-files.md`).
 */
@Injectable()
export class DiskUsageService {
  private readonly sources = new Map<UsageKind, StoredFor | StoredSizes>();

  constructor(
    private readonly usage: DiskUsageRepository,
    private readonly projects: ProjectsService,
    private readonly environment: Environment,
  ) {}

  /** Has the files of a feature counted. Each feature with a table of files registers it. */
  register(kind: UsageKind, files: StoredFor): void {
    this.sources.set(kind, files);
  }

  /** Has what a feature keeps elsewhere counted, by sizes in its rows. */
  registerSizes(kind: UsageKind, sizes: StoredSizes): void {
    this.sources.set(kind, sizes);
  }

  /** What the files of one project take, in one query. */
  async ofProject(projectId: number, searcher: AuthorizedSearcher): Promise<ProjectDiskUsageDto> {
    return { projectId, ...toUsage(await this.sum(searcher, projectId)) };
  }

  /** What the files of all projects take, in two queries. The space's figures are the sums of the projects'. */
  async ofSpace(searcher: AuthorizedSearcher): Promise<SpaceDiskUsageDto> {
    const details = new Map<number, ProjectDiskUsageDto>();
    for (const projectId of await this.projects.listIds()) details.set(projectId, { projectId, ...NOTHING });
    const rows = await this.sum(searcher);
    // Not the files of a deleted project that are still being removed.
    const counted = rows.filter(({ projectId }) => details.has(projectId));
    for (const { kind, projectId, bytes } of counted) {
      (details.get(projectId) as ProjectDiskUsageDto)[kind] = bytes;
    }
    return { capacity: this.environment.SPACE_CAPACITY, ...toUsage(counted), details: [...details.values()] };
  }

  private async sum(searcher: AuthorizedSearcher, projectId?: number): Promise<UsageRow<UsageKind>[]> {
    const rows = await this.usage.sum(this.sources, searcher, projectId);
    // With many files it takes so long that the caller may have lost their rights.
    searcher.signal.throwIfAborted();
    await searcher.authorizeAgain();
    return rows;
  }
}

function toUsage(rows: readonly UsageRow<UsageKind>[]): DiskUsageDto {
  const usage = { ...NOTHING };
  for (const { kind, bytes } of rows) usage[kind] += bytes;
  return usage;
}
