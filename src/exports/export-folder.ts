import { resolve } from 'node:path';
import { RecordStream } from '../archives/record-stream';
import { type FileStorage } from '../attachments/file-storage';
import { type Environment } from '../config/environment';
import { RecordSpool } from '../archives/data/record-spool';
import { CsvExport } from './csv-export';
import { ExportContext } from './export-context';
import { ExportPaths } from './export-paths';
import { ExportedRecords } from './exported-records';
import { FolderWriter } from './folder-writer';
import { MarkdownExport } from './markdown-export';
import { PartialFolder } from './partial-folder';

/** The forms of a folder. */
export const FOLDER_FORMATS = ['csv', 'markdown'] as const;

/** A value of `FOLDER_FORMATS`. */
export type FolderFormat = (typeof FOLDER_FORMATS)[number];

/** Options of an export to a folder. */
export interface FolderOptions {
  environment: Environment;
  storage: FileStorage;
  /** Path of the folder, which must not exist yet. */
  path: string;
  format: FolderFormat;
  /** The keys of the projects; all projects by default. */
  projects?: readonly string[];
  /** Whether texts in tables that a spreadsheet takes for formulas stay as they are. */
  isRaw?: boolean;
  /** Called with the number of records, items and files so far. */
  onProgress?: (done: number) => void;
  /** Aborts the export, which leaves nothing behind. */
  signal?: AbortSignal;
}

/** What a completed export has. */
export interface FolderSummary {
  projects: number;
  files: number;
  bytes: number;
  /** Ids of files without a complete content. */
  lost: number[];
}

/**
 * Writes projects for people and other programs to a folder of tables or Markdown (`docs/export.md`). The records are those of an archive, and of
 * one moment. The same data makes the same bytes, and memory does not grow with it.
 * @throws BackupError if the folder exists, a project does not, or migrations are missing
 */
export async function exportFolder(options: FolderOptions): Promise<FolderSummary> {
  const folder = await PartialFolder.open(resolve(options.path));
  try {
    const summary = await fill(folder, options);
    options.signal?.throwIfAborted();
    await folder.complete();
    return summary;
  } catch (error) {
    await folder.remove();
    throw error;
  }
}

async function fill(
  folder: PartialFolder,
  { environment, storage, format, projects, isRaw = false, onProgress, signal }: FolderOptions,
): Promise<FolderSummary> {
  const spool = new RecordSpool(folder.database);
  try {
    const records = new ExportedRecords(spool);
    let done = 0;
    const progress = (): void => onProgress?.(++done);
    const stream = await RecordStream.open(environment, projects);
    try {
      await records.read(stream, signal, progress);
    } finally {
      await stream.close();
    }
    const writer = new FolderWriter(folder.content, signal);
    const context = new ExportContext(records, new ExportPaths(spool), writer, storage, progress);
    await (format === 'csv' ? new CsvExport(context, isRaw) : new MarkdownExport(context)).write();
    return { projects: spool.count('project'), files: writer.files, bytes: writer.bytes, lost: context.lost };
  } finally {
    spool.close();
  }
}
