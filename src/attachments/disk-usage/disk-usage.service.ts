import { Injectable } from '@nestjs/common';
import { type AuthorizedSearcher } from '../../access/access';
import { Environment } from '../../config/environment';
import { declared } from '../../manifests';
import { ProjectsService } from '../../projects/projects.service';
import { type StoredFor, type StoredSizes } from '../attachment-link';
import { DiskUsageRepository, type UsageRow } from '../data/disk-usage.repository';
import { DiskUsageDto, type ProjectDiskUsageDto, type SpaceDiskUsageDto } from './dto/disk-usage.dto';

/** The kind of stored files, as named in the API. */
type UsageKind = keyof DiskUsageDto;

const SOURCES = new Map(Object.entries(declared('diskUsage')) as [UsageKind, StoredFor | StoredSizes][]);

/**
 * Computes the disk usage of projects: the sums of the current sizes of their files. Each file counts once, because it has one owner.
 * Unattached uploads belong to no project (`docs/decisions/0040-shared-files.md`).
 */
@Injectable()
export class DiskUsageService {
  constructor(
    private readonly usage: DiskUsageRepository,
    private readonly projects: ProjectsService,
    private readonly environment: Environment,
  ) {}

  /** Returns the disk usage of one project, in one query. */
  async ofProject(projectId: number, searcher: AuthorizedSearcher): Promise<ProjectDiskUsageDto> {
    return { projectId, ...toUsage(await this.sum(searcher, projectId)) };
  }

  /** Returns the disk usage of all projects, in two queries. The figures of the space are the sums of those of the projects. */
  async ofSpace(searcher: AuthorizedSearcher): Promise<SpaceDiskUsageDto> {
    const details = new Map<number, ProjectDiskUsageDto>();
    for (const projectId of await this.projects.listIds())
      details.set(projectId, { projectId, ...toUsage([]) });
    const rows = await this.sum(searcher);
    // Excludes the files of deleted projects that are still being removed.
    const counted = rows.filter(({ projectId }) => details.has(projectId));
    for (const { kind, projectId, bytes } of counted) {
      (details.get(projectId) as ProjectDiskUsageDto)[kind] = bytes;
    }
    return { capacity: this.environment.SPACE_CAPACITY, ...toUsage(counted), details: [...details.values()] };
  }

  private async sum(searcher: AuthorizedSearcher, projectId?: number): Promise<UsageRow<UsageKind>[]> {
    const rows = await this.usage.sum(SOURCES, searcher, projectId);
    // The query is slow with many files, so the caller may have lost their rights in the meantime.
    searcher.signal.throwIfAborted();
    await searcher.authorizeAgain();
    return rows;
  }
}

function toUsage(rows: readonly UsageRow<UsageKind>[]): DiskUsageDto {
  const usage = new DiskUsageDto();
  for (const { kind, bytes } of rows) usage[kind] += bytes;
  return usage;
}
