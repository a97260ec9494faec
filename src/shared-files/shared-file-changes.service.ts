import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { type AuditedCaller, type Author, type Caller } from '../access/caller';
import { ActivitiesService } from '../activities/activities.service';
import { ActivityType } from '../activities/activity-type';
import { AttachmentsService } from '../attachments/attachments.service';
import { type AttachmentDto } from '../attachments/dto/attachment.dto';
import { AuditLogService } from '../audit-log/audit-log.service';
import { TransactionsService } from '../database/transactions/transactions.service';
import { InvalidRequestError, NoResourceError } from '../errors/domain-errors';
import { type ReadRequest } from '../http/request/request-reader.guard';
import { CountLimitsService } from '../limits/count-limits.service';
import { ProjectCountersService } from '../projects/project-counters.service';
import { type ProjectResource } from '../projects/project-resource';
import { UsersService } from '../users/users.service';
import { SharedFileRepository, type SharedFileRow } from './data/shared-file.repository';
import { type SharedFileDto } from './dto/shared-file.dto';
import { TOP_FOLDER } from './folder';
import { toSharedFileContent, toSharedFileDto } from './shared-file.mapper';
import { folderOf, isPortable, parseName, parsePath, pathKeyOf, type SharedPath } from './shared-path';

/** A file to put into a folder. */
interface NewVersion {
  projectId: number;
  caller: Caller;
  folder: SharedPath;
  /** The uploaded content, whose name is valid for a shared file. */
  upload: AttachmentDto;
}

/**
 * Adds and deletes shared files. Every transaction that adds to a project's folders or deletes from them first updates the
 * project's counter, which locks it until the transaction ends: so no folder is deleted while a file is added to it, and no path
 * is used twice. A new version only changes the row of its file, which it locks.
 */
@Injectable()
export class SharedFileChangesService {
  constructor(
    private readonly transactions: TransactionsService,
    private readonly files: SharedFileRepository,
    private readonly attachments: AttachmentsService,
    private readonly counters: ProjectCountersService,
    private readonly limits: CountLimitsService,
    private readonly users: UsersService,
    private readonly activities: ActivitiesService,
    private readonly auditLog: AuditLogService,
  ) {}

  /**
   * Stores the file of a multipart request in the folder given by its field `path` or by the query.
   * @throws InvalidRequestError for an invalid path or name, and the errors of `put` and `AttachmentsService.upload`; nothing is stored
   */
  async upload(
    request: ReadRequest,
    projectId: number,
    caller: Caller,
    pathOfQuery?: string,
  ): Promise<SharedFileDto> {
    let folder = pathOfQuery === undefined ? undefined : toFolder(pathOfQuery);
    const upload = await this.attachments.upload(request, caller, {
      fields: {
        path: (text) => {
          const given = toFolder(text);
          if (folder && folderOf(folder) !== folderOf(given)) throw contradiction();
          folder = given;
        },
      },
      toName: toFileName,
    });
    return this.put({ projectId, caller, folder: folder ?? [], upload });
  }

  /**
   * Puts an upload of the caller into a folder, creates missing folders, and writes activity 8. If the folder already has a file
   * with that name, the upload becomes its new version, and activity 9 is written. A refused upload is removed.
   * @throws InvalidRequestError when a folder has the name of the file, or a file the name of a folder, ResourceOverflowError when
   *   there are too many, NoResourceError when the project has just been deleted
   */
  async put(version: NewVersion): Promise<SharedFileDto> {
    try {
      const path = [...version.folder, version.upload.name];
      const [known] = await this.files.findByPathKeys(version.projectId, [pathKeyOf(path)]);
      const id = await this.transactions.run(
        async (manager) =>
          (known && (await this.replace(manager, version, known.id))) ?? (await this.add(manager, version)),
      );
      return await this.get(id);
    } catch (error) {
      await this.attachments.abandon(version.upload.id);
      throw error;
    }
  }

  /**
   * Deletes a file with its links, or an empty folder, and returns its last state. Writes activity 10 for a file.
   * @throws InvalidRequestError for a folder that is not empty, NoResourceError when another request has deleted it
   */
  async delete({ id, projectId }: ProjectResource, caller: AuditedCaller): Promise<SharedFileDto> {
    return this.transactions.run(async (manager) => {
      await this.counters.giveBack(manager, projectId, 'sharedFile');
      const row = await this.files.lock(manager, id);
      if (!row) throw new NoResourceError('shared file');
      if (row.attachmentId === null) {
        if ((await this.files.count(manager, projectId, id)) > 0) throw notEmpty();
      } else {
        await this.attachments.release(manager, [row.attachmentId]);
        await this.record(manager, ActivityType.SharedFileDeleted, row, caller);
      }
      await this.files.delete(manager, id);
      await this.auditLog.record(manager, caller, {
        action: 'sharedFile.delete',
        subject: { id, name: row.name },
        projectId,
      });
      return this.toDto(row, manager);
    });
  }

  /** Makes an upload the version of a file; returns the file's id, or undefined when it has been deleted concurrently. */
  private async replace(
    manager: EntityManager,
    { caller, upload }: NewVersion,
    id: number,
  ): Promise<number | undefined> {
    const file = await this.files.lock(manager, id);
    if (!file) return undefined;
    if (file.attachmentId === null) throw isFolder();
    await this.attachments.claim(manager, caller, [upload.id], 'file');
    const version = {
      attachmentId: upload.id,
      size: upload.size,
      updatedUserId: caller.id,
      // Of two concurrent versions, the later one may have started earlier.
      updated: Math.max(file.updated, Date.now()),
    };
    await this.files.update(manager, id, version);
    await this.attachments.release(manager, [file.attachmentId]);
    await this.record(manager, ActivityType.SharedFileUpdated, { ...file, ...version }, caller);
    return id;
  }

  /** Adds a file and its missing folders, or a new version if another request has added the file concurrently; returns its id. */
  private async add(manager: EntityManager, version: NewVersion): Promise<number> {
    const { projectId, caller, folder, upload } = version;
    await this.counters.take(manager, projectId, 'sharedFile');
    const path = [...folder, upload.name];
    // Keys of the whole path and of its folders, up to the first one.
    const keys = path.map((_name, index) => pathKeyOf(path.slice(0, path.length - index)));
    const rows = await this.files.findByPathKeys(projectId, keys, manager);
    const [file, ...folders] = keys.map((key) => rows.find((row) => row.pathKey === key));
    if (file) {
      await this.counters.giveBack(manager, projectId, 'sharedFile');
      const id = await this.replace(manager, version, file.id);
      // Only the removal of the whole project deletes files without locking the counter.
      if (id === undefined) throw new NoResourceError('project');
      return id;
    }
    if (folders.some((row) => row && row.attachmentId !== null)) throw isFile();
    const missing = folders.filter((row) => !row).length;
    const nearest = folders.find((row) => row)?.id ?? TOP_FOLDER;
    this.limits.require('folderEntry', (await this.files.count(manager, projectId, nearest)) + 1);
    if (missing > 0) await this.counters.take(manager, projectId, 'sharedFile', missing);
    await this.attachments.claim(manager, caller, [upload.id], 'file');
    const now = Date.now();
    const edit = { createdUserId: caller.id, created: now, updatedUserId: caller.id, updated: now };
    let folderId = nearest;
    for (let depth = folder.length - missing; depth < folder.length; depth++) {
      const place = placeOf(path.slice(0, depth + 1));
      const row = { projectId, folderId, ...place, attachmentId: null, size: null, ...edit };
      folderId = await this.files.insert(manager, row);
    }
    const content = { attachmentId: upload.id, size: upload.size };
    const row = { projectId, folderId, ...placeOf(path), ...content, ...edit };
    const id = await this.files.insert(manager, row);
    await this.record(manager, ActivityType.SharedFileAdded, { id, ...row }, caller);
    return id;
  }

  private record(
    manager: EntityManager,
    type: ActivityType.SharedFileAdded | ActivityType.SharedFileUpdated | ActivityType.SharedFileDeleted,
    file: SharedFileRow,
    author: Author,
  ): Promise<void> {
    return this.activities.record(manager, {
      projectId: file.projectId,
      type,
      content: toSharedFileContent(file),
      author,
    });
  }

  private async get(id: number): Promise<SharedFileDto> {
    const row = await this.files.findById(id);
    if (!row) throw new NoResourceError('shared file');
    return this.toDto(row);
  }

  private async toDto(row: SharedFileRow, manager?: EntityManager): Promise<SharedFileDto> {
    const users = await this.users.findByIds([row.createdUserId, row.updatedUserId], manager);
    return toSharedFileDto(row, users);
  }
}

/** Returns the location columns of the last element of a path. */
const placeOf = (path: SharedPath): Pick<SharedFileRow, 'pathKey' | 'dir' | 'name'> => ({
  pathKey: pathKeyOf(path),
  dir: folderOf(path.slice(0, -1)),
  name: path.at(-1) ?? '',
});

const NOT_PORTABLE =
  'Names of shared files and folders must not contain bidirectional control characters or be reserved Windows names.';

function toFolder(text: string): SharedPath {
  const path = parsePath(text);
  if (!path) throw InvalidRequestError.of('path', 'path must be names of folders, separated by slashes.');
  if (!path.every(isPortable)) throw InvalidRequestError.of('path', NOT_PORTABLE);
  return path;
}

function toFileName(text: string): string {
  const name = parseName(text);
  if (name === undefined)
    throw InvalidRequestError.of('file', 'The name of the file is not allowed for a shared file.');
  if (!isPortable(name)) throw InvalidRequestError.of('file', NOT_PORTABLE);
  return name;
}

const contradiction = (): InvalidRequestError =>
  InvalidRequestError.of('path', 'path has one value in the query string and another in the body.');

const isFolder = (): InvalidRequestError =>
  InvalidRequestError.of('file', 'The folder already contains a folder with this name.');

const isFile = (): InvalidRequestError => InvalidRequestError.of('path', 'path contains the name of a file.');

const notEmpty = (): InvalidRequestError =>
  InvalidRequestError.of('sharedFileId', 'The folder is not empty.');
