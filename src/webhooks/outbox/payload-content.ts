import { ActivityType } from '../../activities/activity-type';

/** The fields of an activity's content that the family's webhook payloads do not have: strict receivers refuse them. */
const OMITTED: Partial<Record<ActivityType, readonly string[]>> = {
  [ActivityType.WikiCreated]: ['diff'],
  [ActivityType.WikiUpdated]: ['attachments'],
  [ActivityType.WikiDeleted]: ['diff'],
};

/** The fields of a revision in a payload. */
const REVISION_FIELDS = ['rev', 'comment'];

/** Returns the content of an activity as webhooks send it. Everything else is as `GET /activities/{activityId}` shows it. */
export function toPayloadContent(type: ActivityType, content: object): object {
  const omitted = OMITTED[type];
  if (omitted) return pick(content, (name) => !omitted.includes(name));
  if (type !== ActivityType.GitPushed || !('revisions' in content)) return content;
  const revisions = content.revisions as object[];
  return {
    ...content,
    revisions: revisions.map((revision) => pick(revision, (name) => REVISION_FIELDS.includes(name))),
  };
}

const pick = (value: object, isWanted: (name: string) => boolean): object =>
  Object.fromEntries(Object.entries(value).filter(([name]) => isWanted(name)));
