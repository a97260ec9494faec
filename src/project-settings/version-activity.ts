import { type ActivityChange, type VersionContent } from '../activities/activity-content';
import { type VersionRow } from './version.mapper';

/** A version as its activities show it. */
export const contentOf = (version: VersionRow): VersionContent => ({
  id: version.id,
  name: version.name,
  description: version.description,
  start_date: version.startDate ?? '',
  reference_date: version.releaseDueDate ?? '',
});

/** In what a version's update has changed it, under the names of the content. */
export function changesOf(before: VersionRow, after: VersionRow): ActivityChange[] {
  const now = toldOf(after);
  return Object.entries(toldOf(before)).flatMap(([field, old_value]) => {
    const new_value = now[field] as string;
    return new_value === old_value ? [] : [{ field, new_value, old_value, type: 'standard' }];
  });
}

function toldOf(version: VersionRow): Record<string, string> {
  const { id: _, ...told } = contentOf(version);
  return { ...told, archived: String(Boolean(version.archived)) };
}
