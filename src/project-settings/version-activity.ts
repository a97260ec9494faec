import { type ActivityChange } from '../activities/activity-content';
import { type VersionRow } from './data/version.repository';
import { type VersionContent } from './project-settings.manifest';

/** Returns a version as the content of its activities. */
export const contentOf = (version: VersionRow): VersionContent => ({
  id: version.id,
  name: version.name,
  description: version.description,
  start_date: version.startDate ?? '',
  reference_date: version.releaseDueDate ?? '',
});

/** Returns the changes between two states of a version, with the field names of the content. */
export function changesOf(before: VersionRow, after: VersionRow): ActivityChange[] {
  const now = fieldsOf(after);
  return Object.entries(fieldsOf(before)).flatMap(([field, old_value]) => {
    const new_value = now[field] as string;
    return new_value === old_value ? [] : [{ field, new_value, old_value, type: 'standard' }];
  });
}

function fieldsOf(version: VersionRow): Record<string, string> {
  const { id: _, ...fields } = contentOf(version);
  return { ...fields, archived: String(version.archived) };
}
