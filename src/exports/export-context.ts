import { type FileStorage } from '../attachments/file-storage';
import { type ExportPaths } from './export-paths';
import { type ExportedRecords } from './exported-records';
import { ExportedProject } from './exported-project';
import { type FolderWriter } from './folder-writer';
import { type Project } from './record-shapes';

/** What the writers of an export share. */
export class ExportContext {
  /** Ids of files whose content the storage does not have, or not completely. */
  readonly lost: number[] = [];

  constructor(
    readonly records: ExportedRecords,
    readonly paths: ExportPaths,
    readonly writer: FolderWriter,
    private readonly storage: FileStorage,
    /** Called for each item, comment and file. */
    readonly progress: () => void,
  ) {}

  /** Yields the projects with the paths of their folders. */
  *projects(): Generator<{ project: ExportedProject; folder: string }> {
    for (const project of this.records.all<Project>('project')) {
      const folder = this.paths.folder('', project.projectKey, `project:${project.id}`);
      yield { project: new ExportedProject(project, this.records), folder };
    }
  }

  /** Copies the content of a file. @returns false if it is lost; a part of it is kept */
  async copy(id: number, path: string): Promise<boolean> {
    const file = this.records.findFile(id);
    const content =
      file &&
      (await this.storage.read(file.storageKey).catch((error: unknown) => {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
        throw error;
      }));
    const written = content && (await this.writer.content(path, content));
    this.progress();
    if (written === undefined || written !== file?.size) this.lost.push(id);
    return written !== undefined;
  }
}
