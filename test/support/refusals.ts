import { type ApiResponse } from './api';
import { everythingStored } from './records';
import { errorShape } from './shapes';
import { type World } from './world';

/** Expects 400, code 7, with one entry for each of the fields, and nothing stored. */
export async function expectRefused(
  world: World,
  send: () => Promise<ApiResponse>,
  fields: string[],
): Promise<void> {
  const before = await everythingStored(world);
  const answer = await send();
  expect(answer.status).toBe(400);
  expect(answer.body).toEqual(errorShape(7, fields));
  expect(await everythingStored(world)).toEqual(before);
}
