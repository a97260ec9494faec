import { type ArchiveBuilder } from '../archive-builder';
import { type SourceFile, type SourceStar } from '../model';
import { type SourceReport } from '../source';
import { type BacklogApi } from './backlog-api';
import { toStar } from './convert';
import { type People } from './people';
import { type WireFile, type WireProject, type WireStar } from './wire';

/** What the readers of a space share. */
export interface Context extends SourceReport {
  api: BacklogApi;
  builder: ArchiveBuilder;
  people: People;
  /** The time zone in which the space shows days. */
  timeZone: string;
  projects: readonly WireProject[];
}

/** A file may have become larger since it was listed. */
export const mostOf = (size: number): number => 2 * size + 1024 * 1024;

/** Downloads the files of an object. @param folder the path of their list */
export function readFiles(
  { api, people }: Context,
  folder: string,
  files: readonly WireFile[],
  ownerCreated: number,
): Promise<SourceFile[]> {
  return Promise.all(
    files.map(async ({ id, name, size, createdUser, created }) => ({
      id,
      name,
      createdUserId: people.idOf(createdUser),
      created: created ?? ownerCreated,
      content: await api.file(`${folder}/${id}`, mostOf(size)),
    })),
  );
}

export const starsOf = ({ people }: Context, stars: readonly WireStar[]): SourceStar[] =>
  stars.map((star) => toStar(star, people.idOf(star.presenter)));
