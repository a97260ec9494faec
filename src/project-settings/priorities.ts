import { type PriorityDto } from './dto/priority.dto';

/** Names of the priorities, by id; the most urgent comes first. */
export const PRIORITIES: ReadonlyMap<number, string> = new Map([
  [2, 'High'],
  [3, 'Normal'],
  [4, 'Low'],
]);

/** Returns the API representation of a priority. */
export const priorityOf = (id: number): PriorityDto => ({ id, name: PRIORITIES.get(id) as string });
