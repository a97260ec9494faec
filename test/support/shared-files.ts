import { type ApiResponse } from './api';
import { type Person, type ProjectFixture } from './world';

/** A file to add to a folder. */
export interface SharedFile {
  folder?: string;
  name?: string;
  content?: string;
}

/** Uploads a shared file. */
export function putSharedFile<Body = any>(
  { api }: Pick<Person, 'api'>,
  { key }: Pick<ProjectFixture, 'key'>,
  { folder, name = 'file.txt', content = 'content' }: SharedFile = {},
): Promise<ApiResponse<Body>> {
  const form = new FormData();
  if (folder !== undefined) form.set('path', folder);
  form.set('file', new Blob([content]), name);
  return api.send('POST', `/projects/${key}/files`, form);
}

/** Uploads a shared file, and returns its id. */
export async function addSharedFile(
  person: Pick<Person, 'api'>,
  project: Pick<ProjectFixture, 'key'>,
  file?: SharedFile,
): Promise<number> {
  const { body } = await putSharedFile<{ id: number }>(person, project, file);
  return body.id;
}
