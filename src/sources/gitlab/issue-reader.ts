import { CustomFieldType } from '../../custom-fields/custom-field-type';
import { StandardStatus } from '../../project-settings/standard-status';
import { type TimedList } from '../forges/forge-api';
import { NORMAL_PRIORITY } from '../forges/forge-project';
import { Timeline } from '../forges/timeline';
import { type SourceCustomValue } from '../model';
import { hiddenIssues } from '../source.error';
import { type Context, isImported, keepIssue, toText, userIdOf } from './context';
import { toDay, toHours, toMilestone, toResolution, toTypeName } from './convert';
import { type Noted, notedAddresses, NoteReader } from './note-reader';
import { Uploads } from './uploads';
import * as wire from './wire';

/** Reads the issues of a project, but not the confidential ones. */
export class IssueReader {
  private readonly timeline: Timeline;
  private readonly notes: NoteReader;
  private weightId?: number;

  constructor(private readonly context: Context) {
    this.timeline = new Timeline(context.builder, 'issue timeline');
    this.notes = new NoteReader(context, this.timeline);
  }

  /** Keeps which issues are imported: texts refer to them, and to others that nobody may learn of. */
  async numbers(): Promise<void> {
    const { api, losses } = this.context;
    for await (const page of api.pagesByTime(this.list())) {
      for (const { iid, id, confidential } of page) {
        if (confidential) losses.note('Confidential issues, which only members may see', `#${iid}`);
        else keepIssue(this.context, iid, id);
      }
    }
  }

  async read(): Promise<void> {
    const { api, builder, onProgress, project } = this.context;
    let done = 0;
    for await (const page of api.pagesByTime(this.list())) {
      const issues = page.filter(({ iid, id }) => isImported(this.context, iid) && !builder.has('issue', id));
      await Promise.all(
        issues.map((issue) =>
          api
            .about(issue)
            .prefetch([
              ...notedAddresses({ of: 'issue', path: this.pathOf(issue.iid) }),
              this.linksOf(issue),
            ]),
        ),
      );
      for (const issue of issues) await this.issue(issue);
      done += page.length;
      onProgress?.({ what: `issues of ${project.path_with_namespace}`, done, total: 0 });
    }
  }

  private list(): TimedList<wire.WireIssue> {
    const { path, project } = this.context;
    return {
      path: `${path}/issues`,
      query: { scope: 'all', order_by: 'created_at', sort: 'asc', with_labels_details: true },
      element: wire.issue,
      keyOf: ({ iid }) => iid,
      from: 'created_after',
      timeOf: ({ created_at: created }) => created,
      onHidden: () => {
        if (project.issues_enabled) throw hiddenIssues(project.path_with_namespace);
      },
    };
  }

  private pathOf(iid: number): string {
    return `${this.context.path}/issues/${iid}`;
  }

  /** Returns the address of the links of an issue, which GitLab lists without pages. */
  private linksOf({ iid }: wire.WireIssue): string {
    return `${this.pathOf(iid)}/links`;
  }

  private async issue(issue: wire.WireIssue): Promise<void> {
    const { builder, settings, losses } = this.context;
    const { id, iid, author, milestone, description, created_at: created, time_stats: times } = issue;
    const name = `#${iid}`;
    const uploads = new Uploads(this.context, name);
    await uploads.read(description, author, created);
    const noted: Noted = { of: 'issue', iid, name, path: this.pathOf(iid), as: issue };
    await this.notes.read(noted, uploads);
    const [assignee, ...others] = issue.assignees;
    losses.note('Further assignees, because an issue has one', name, others.length);
    losses.note('Reactions', name, issue.upvotes + issue.downvotes);
    if (issue.moved_to_id != null) losses.note('Where issues were moved to', name);
    const createdUserId = userIdOf(this.context, author);
    builder.issue({
      ...{ id, projectId: settings.project.id, keyId: iid, summary: issue.title },
      description: toText(this.context, uploads.withNames(description)),
      issueTypeId: settings.typeOf(toTypeName(issue.issue_type)),
      statusId: issue.state === 'closed' ? StandardStatus.Closed : StandardStatus.Open,
      resolutionId: toResolution(issue),
      priorityId: NORMAL_PRIORITY,
      assigneeId: assignee ? userIdOf(this.context, assignee) : null,
      parentIssueId: null,
      ...{ startDate: toDay(issue.start_date), dueDate: toDay(issue.due_date) },
      estimatedHours: toHours(times?.time_estimate),
      actualHours: toHours(times?.total_time_spent),
      categoryIds: issue.labels.map((label) => settings.categoryOf(label.name)),
      versionIds: [],
      milestoneIds: milestone ? [settings.version(toMilestone(milestone))] : [],
      customValues: issue.weight == null ? [] : [this.weight(issue.weight)],
      ...{ files: uploads.attachments, sharedFileIds: [], stars: [] },
      ...{ created, updated: issue.updated_at },
      // The source does not say who has changed it last.
      ...{ createdUserId, updatedUserId: createdUserId },
    });
    this.timeline.end('issue', id, iid);
    await this.links(issue);
  }

  /** Returns the value of the field for weights, which the first issue with a weight adds. */
  private weight(number: number): SourceCustomValue {
    const { builder, settings } = this.context;
    if (this.weightId === undefined) {
      this.weightId = builder.newId('customField');
      builder.customField({
        ...{ id: this.weightId, projectId: settings.project.id, typeId: CustomFieldType.Numeric },
        ...{ name: 'Weight', description: '', required: false, displayOrder: 0, version: 1 },
        settings: { min: null, max: null, initialValue: null, unit: null },
        ...{ issueTypeIds: [], items: [] },
      });
    }
    return { customFieldId: this.weightId, text: null, number, date: null, other: null, itemIds: [] };
  }

  private async links(issue: wire.WireIssue): Promise<void> {
    const { api, builder, losses, project } = this.context;
    const { id, iid, created_at: created } = issue;
    const links = await api.about(issue).whole(wire.link, this.linksOf(issue));
    for (const link of links ?? []) {
      if (link.project_id !== project.id) losses.note('Links to issues of other projects', `#${iid}`);
      else if (isImported(this.context, link.iid)) {
        if (link.link_type.includes('block'))
          losses.note('Which of two related issues blocks the other', `#${iid}`);
        builder.relatedIssues(id, link.id, link.link_created_at ?? created);
      }
    }
  }
}
