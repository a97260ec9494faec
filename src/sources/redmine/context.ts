import { type ArchiveBuilder } from '../archive-builder';
import { type SourceFile } from '../model';
import { type SourceReport } from '../source';
import { type Catalog } from './catalog';
import { type RedminePeople } from './people';
import { type RedmineApi } from './redmine-api';
import { type RedmineTexts } from './texts';
import { type WireAttachment, type WireProject } from './wire';

/** A project that is imported, with its key in the archive. */
export interface KeyedProject extends WireProject {
  key: string;
}

/** What the readers of a Redmine share. */
export interface Context extends SourceReport {
  api: RedmineApi;
  builder: ArchiveBuilder;
  people: RedminePeople;
  catalog: Catalog;
  texts: RedmineTexts;
}

/** A file may have become larger since it was listed. */
const mostOf = (size: number): number => 2 * size + 1024 * 1024;

/** The address of a file's content is made of its id: whatever the answer names as such is not followed. */
const contentAddress = (id: number): string => `/attachments/download/${id}`;

/** Downloads the files of an object. */
export function readFiles(
  { api, people, losses }: Context,
  files: readonly WireAttachment[],
): Promise<SourceFile[]> {
  return Promise.all(
    files.map(async ({ id, filename, filesize, description, author, created_on }) => {
      if (description !== '') losses.note('Descriptions of files', filename);
      return {
        id,
        name: filename,
        createdUserId: people.idOf(author),
        created: created_on,
        content: await api.file(contentAddress(id), mostOf(filesize)),
      };
    }),
  );
}
