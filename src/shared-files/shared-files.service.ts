import { Injectable } from '@nestjs/common';
import { AttachmentsService } from '../attachments/attachments.service';
import { NoResourceError } from '../errors/domain-errors';
import { type FileAnswer, replaceableFile } from '../http/response/file-answer';
import { type OffsetPaging, Page } from '../paging/page';
import { UsersService } from '../users/users.service';
import { userIdsIn } from '../users/user-ids';
import { SharedFileRepository, type SharedFileRow } from './data/shared-file.repository';
import { type SharedFileDto } from './dto/shared-file.dto';
import { TOP_FOLDER } from './folder';
import { toSharedFileDto } from './shared-file.mapper';
import { pathKeyOf, type SharedPath } from './shared-path';

const FILES_AT_ONCE = 500;
/** Maximum number of attempts to open a file that is replaced by new versions concurrently. */
const MAX_ATTEMPTS = 5;

/** Reads the folders and files of projects. */
@Injectable()
export class SharedFilesService {
  constructor(
    private readonly files: SharedFileRepository,
    private readonly attachments: AttachmentsService,
    private readonly users: UsersService,
  ) {}

  /** Returns the id of the folder with a path, or undefined when there is none. */
  async findFolder(projectId: number, path: SharedPath): Promise<number | undefined> {
    if (path.length === 0) return TOP_FOLDER;
    const [found] = await this.files.findByPathKeys(projectId, [pathKeyOf(path)]);
    return found?.attachmentId === null ? found.id : undefined;
  }

  /** Returns one page of a folder, in two queries. */
  async list(projectId: number, folderId: number, query: OffsetPaging): Promise<Page<SharedFileDto>> {
    const { items, next } = await this.files.findPage(projectId, folderId, query);
    return new Page(await this.toDtos(items), next);
  }

  /** Yields all folders and files of a project, in no particular order. Reads a limited number at a time. */
  async *eachOfProject(projectId: number): AsyncGenerator<SharedFileDto> {
    for (let pathKey: string | undefined = ''; pathKey !== undefined;) {
      const rows: SharedFileRow[] = await this.files.findAfter(projectId, pathKey, FILES_AT_ONCE);
      yield* await this.toDtos(rows);
      pathKey = rows.at(-1)?.pathKey;
    }
  }

  /**
   * Returns the content of a file's newest version.
   * @throws NoResourceError for a folder, or when the file has just been deleted
   */
  download(id: number): Promise<FileAnswer> {
    return replaceableFile(() => this.openNewest(id));
  }

  private async openNewest(id: number): Promise<FileAnswer> {
    for (let attempt = 1; ; attempt++) {
      const attachmentId = (await this.files.findById(id))?.attachmentId;
      if (typeof attachmentId !== 'number') throw new NoResourceError('shared file');
      try {
        return await this.attachments.open(attachmentId);
      } catch (error) {
        // A new version may have replaced it concurrently.
        if (!(error instanceof NoResourceError) || attempt === MAX_ATTEMPTS) throw error;
      }
    }
  }

  private async toDtos(rows: readonly SharedFileRow[]): Promise<SharedFileDto[]> {
    const users = await this.users.findByIds(userIdsIn(rows));
    return rows.map((row) => toSharedFileDto(row, users));
  }
}
