import { ACTIVITY_TYPES, ActivityType } from '../../activities/activity-type';
import { toPayloadContent } from './payload-content';
import { sampleContent } from './sample-content';

describe(toPayloadContent.name, () => {
  const fieldsOf = (type: ActivityType): string[] => Object.keys(toPayloadContent(type, sampleContent(type)));

  it.each([
    [ActivityType.WikiCreated, ['id', 'name', 'content', 'attachments', 'shared_files', 'version']],
    [ActivityType.WikiUpdated, ['id', 'name', 'content', 'diff', 'shared_files', 'version']],
    [ActivityType.WikiDeleted, ['id', 'name', 'content', 'attachments', 'shared_files', 'version']],
  ])('returns only the payload fields of wiki pages for activity type %d', (type, fields) => {
    expect(fieldsOf(type)).toEqual(fields);
  });

  it('omits only the author and date of the revisions of a push', () => {
    const sample = sampleContent(ActivityType.GitPushed) as { revisions: { rev: string; comment: string }[] };
    const [{ rev, comment }] = sample.revisions as [{ rev: string; comment: string }];
    const sent = toPayloadContent(ActivityType.GitPushed, sample);
    expect(sent).toEqual({ ...sample, revisions: [{ rev, comment }] });
    expect(Object.keys(sent)).toEqual(Object.keys(sample));
    expect(sample.revisions[0]).toHaveProperty('author');
  });

  it('returns the content of other activity types unchanged', () => {
    const changed = new Set([5, 6, 7, 12]);
    for (const type of ACTIVITY_TYPES.filter((each) => !changed.has(each))) {
      expect(toPayloadContent(type, sampleContent(type))).toBe(sampleContent(type));
    }
  });
});
