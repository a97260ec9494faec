import * as z from 'zod';
import { ToolError } from '../answers/tool-error';
import { type OperationCaller } from '../operations/operation-caller';

/** A file to upload, with either text or base64. */
export const FILE = z.object({
  name: z.string(),
  text: z.string().optional(),
  base64: z.string().optional(),
});

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/**
 * Returns the content of a file.
 * @throws ToolError unless it has either text or valid base64
 */
export function contentOf({ name, text, base64 }: z.infer<typeof FILE>): Buffer {
  if ((text === undefined) === (base64 === undefined)) {
    throw new ToolError(`The file ${JSON.stringify(name)} needs either text or base64.`);
  }
  if (base64 !== undefined && !BASE64.test(base64)) {
    throw new ToolError(`The base64 of the file ${JSON.stringify(name)} is not valid.`);
  }
  return base64 === undefined ? Buffer.from(text ?? '') : Buffer.from(base64, 'base64');
}

/** Uploads files, and returns the ids to attach. */
export async function uploadAll(
  call: OperationCaller,
  given: readonly z.infer<typeof FILE>[] = [],
): Promise<number[]> {
  const contents = given.map((file) => ({ name: file.name, content: contentOf(file) }));
  const ids: number[] = [];
  for (const file of contents) ids.push((await call.json<{ id: number }>('uploadAttachment', { file })).id);
  return ids;
}
