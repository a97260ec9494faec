import { type ResolutionDto } from './dto/resolution.dto';

/** Names of the resolutions, by id. */
export const RESOLUTIONS: ReadonlyMap<number, string> = new Map([
  [0, 'Fixed'],
  [1, "Won't fix"],
  [2, 'Invalid'],
  [3, 'Duplicate'],
  [4, 'Cannot reproduce'],
]);

/** Returns the API representation of a resolution; null stays null. */
export function resolutionOf(id: number): ResolutionDto;
export function resolutionOf(id: number | null): ResolutionDto | null;
export function resolutionOf(id: number | null): ResolutionDto | null {
  return id === null ? null : { id, name: RESOLUTIONS.get(id) as string };
}
