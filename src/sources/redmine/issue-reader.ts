import { PRIORITIES } from '../../project-settings/priorities';
import { type SourceComment } from '../model';
import { hiddenIssues, SourceError } from '../source.error';
import { type ChangeNames, toEntry } from './change-log';
import { type Context, type KeyedProject, readFiles } from './context';
import { type ProjectSettings } from './project-settings';
import { addressOfIssue, issueAddress, issuesQuery } from './redmine-api';
import { toDay, toHours } from './values';
import { type PageNames } from './wiki-names';
import * as wire from './wire';

const ISSUES = '/issues.json';
const PLAIN_RELATION = 'relates';

/** Finds the issues of a project that are imported, so that others can refer to them: all but the private ones. */
export async function indexIssues({ api, texts, losses }: Context, project: KeyedProject): Promise<void> {
  const query = issuesQuery(project.id);
  const total = await api.count(wire.issues, ISSUES, query);
  let listed = 0;
  let isVisible = false;
  for await (const page of api.pages(wire.issues, ({ id }) => id, ISSUES, query)) {
    isVisible = true;
    listed += page.length;
    for (const { id, project: own, is_private: isPrivate, parent } of page) {
      if (own.id !== project.id) continue;
      if (isPrivate) losses.note('Private issues', `#${id}`);
      else {
        const place = { projectId: project.id, key: `${project.key}-${id}`, parentId: parent?.id ?? null };
        texts.places.add(id, place);
      }
    }
    // A list that grows while it is read grows by less than itself.
    if (listed > 2 * total + 1000)
      throw new SourceError(`The list of issues of ${project.key} does not end.`);
  }
  const hasIssues = project.enabled_modules.some(({ name }) => name === 'issue_tracking');
  if (!isVisible && hasIssues) throw hiddenIssues(project.identifier);
  if (listed < total) {
    losses.note(
      'Issues that were counted but not listed, because others were deleted meanwhile',
      project.identifier,
    );
  }
}

/** Reads the issues of a project, each with its journals and files. Memory does not grow with their number. */
export class IssueReader {
  private readonly names: ChangeNames;

  constructor(
    private readonly context: Context,
    private readonly project: KeyedProject,
    private readonly settings: ProjectSettings,
    private readonly pages: PageNames,
  ) {
    const { catalog, people, texts } = context;
    const { fields } = settings;
    this.names = {
      status: catalog.statusName,
      tracker: catalog.trackerName,
      priority: catalog.priorityName,
      category: settings.categoryName,
      version: settings.versionName,
      person: (id) => people.nameOf(id),
      project: (id) => catalog.projects.get(id),
      issue: (id) => texts.places.find(id)?.key,
      field: (id) => fields.find(id),
      display: (field, value) => fields.display(field, value),
      doneField: () => fields.doneField(),
      text: (text) => texts.toMarkdown(text, pages, `${project.key}, change log`),
    };
  }

  async read(): Promise<void> {
    const { api, texts, onProgress } = this.context;
    const { id: projectId, key } = this.project;
    const query = issuesQuery(projectId);
    const total = await api.count(wire.issues, ISSUES, query);
    let done = 0;
    for await (const page of api.pages(wire.issues, ({ id }) => id, ISSUES, query)) {
      const lines = page.filter(({ id }) => texts.places.find(id)?.projectId === projectId);
      await Promise.all(lines.map((line) => api.about(line).prefetch([addressOfIssue(line.id)])));
      for (const line of lines) await this.issue(line);
      done += page.length;
      onProgress?.({ what: `issues of ${key}`, done, total });
    }
  }

  private async issue(line: wire.WireIssueLine): Promise<void> {
    const { api, builder, losses } = this.context;
    const { id } = line;
    const path = issueAddress(id);
    const found = await api.about(line).find(wire.oneIssue, ...path);
    const key = `${this.project.key}-${id}`;
    if (!found || found.issue.project.id !== this.project.id) {
      losses.note('Issues that were deleted or moved while they were read', key);
      return;
    }
    const { issue } = found;
    if (issue.id !== id) throw new SourceError(`The answer to ${path[0]} is about issue ${issue.id}.`);
    if (issue.is_private) {
      losses.note('Private issues', `#${id}`);
      return;
    }
    if (builder.has('issue', id)) return;
    await this.add(issue, key);
    for (const journal of issue.journals) this.journal(id, key, journal);
    this.relations(issue, key);
    this.watchings(issue);
    builder.endSubject('issue', id);
  }

  private async add(issue: wire.WireIssue, key: string): Promise<void> {
    const { builder, people, texts } = this.context;
    const { id, created_on: created, updated_on: updated, category, fixed_version: version } = issue;
    const { statusId, resolutionId } = this.settings.statusOf(issue.status);
    const createdUserId = people.idOf(issue.author);
    builder.issue({
      ...{ id, keyId: id, projectId: this.project.id, created, updated, createdUserId },
      ...{ statusId, resolutionId, priorityId: this.priorityOf(issue) },
      summary: issue.subject,
      description: texts.toMarkdown(issue.description, this.pages, key),
      issueTypeId: this.settings.issueTypeOf(issue.tracker),
      assigneeId: this.assigneeOf(issue, key),
      parentIssueId: this.parentOf(issue, key),
      startDate: toDay(issue.start_date),
      dueDate: toDay(issue.due_date),
      estimatedHours: toHours(issue.estimated_hours),
      actualHours: toHours(issue.spent_hours),
      categoryIds: category ? [this.settings.categoryOf(category)] : [],
      versionIds: [],
      milestoneIds: version ? [this.settings.versionOf(version)] : [],
      customValues: this.customValuesOf(issue),
      files: await readFiles(this.context, issue.attachments),
      sharedFileIds: [],
      stars: [],
      updatedUserId: people.idOf(lastJournalOf(issue)?.user ?? issue.author),
    });
  }

  private priorityOf({ priority }: wire.WireIssue): number {
    const { catalog, losses } = this.context;
    const priorityId = catalog.priority(priority?.id);
    if (priority) catalog.noteRenamed(losses, 'priorities', priority.name, PRIORITIES.get(priorityId) ?? '');
    return priorityId;
  }

  private assigneeOf({ assigned_to: assignee }: wire.WireIssue, key: string): number | null {
    const { people, losses } = this.context;
    if (!assignee) return null;
    if (!people.isGroup(assignee.id)) return people.idOf(assignee);
    losses.note('Assignees that are groups', `${key}: ${assignee.name}`);
    return null;
  }

  /** Returns the parent. The service has one level of child issues in a project; deeper ones are related to their parents instead. */
  private parentOf({ id, parent, created_on: created }: wire.WireIssue, key: string): number | null {
    if (!parent) return null;
    const { builder, texts, losses } = this.context;
    const place = texts.places.find(parent.id);
    if (!place) {
      losses.note('Parents that are not imported', key);
      return null;
    }
    const isChild = place.parentId !== null && texts.places.find(place.parentId) !== undefined;
    if (place.projectId === this.project.id && !isChild && parent.id !== id) return parent.id;
    losses.note('Parents in another project, or that are children themselves: the issues are related', key);
    builder.relatedIssues(id, parent.id, created);
    return null;
  }

  private customValuesOf({ custom_fields, done_ratio }: wire.WireIssue) {
    const { fields } = this.settings;
    const values = custom_fields.flatMap((value) => fields.valueOf(value) ?? []);
    return done_ratio ? [...values, fields.doneValue(done_ratio)] : values;
  }

  /** Adds a comment of what a journal says, unless it is private. */
  private journal(issueId: number, key: string, journal: wire.WireJournal): void {
    const { builder, losses } = this.context;
    if (journal.private_notes) {
      losses.note('Private notes', key);
      return;
    }
    const comment = this.toComment(key, journal);
    if (comment.content !== '' || comment.changeLog.length > 0) builder.comment('issue', issueId, comment);
  }

  private toComment(
    key: string,
    { id, user, notes, created_on, updated_on, details }: wire.WireJournal,
  ): SourceComment {
    const { people, texts, losses } = this.context;
    const changeLog = details.flatMap((detail) => {
      const entry = toEntry(detail, this.names);
      if (!entry)
        losses.note(
          'Changes of what is not imported, in change logs',
          `${key}: ${detail.name}`.slice(0, 100),
        );
      return entry ?? [];
    });
    return {
      ...{ id, changeLog, stars: [], notifications: [] },
      content: texts.toMarkdown(notes, this.pages, `${key}, note ${id}`),
      createdUserId: people.idOf(user),
      created: created_on,
      updated: updated_on ?? created_on,
    };
  }

  /** Redmine does not say since when somebody watches an issue. */
  private watchings({ id: issueId, watchers, created_on: created }: wire.WireIssue): void {
    const { builder, people } = this.context;
    const users = watchers.filter((watcher) => !people.isGroup(watcher.id));
    for (const userId of new Set(users.map((user) => people.idOf(user)))) {
      const id = builder.newId('watching');
      const times = { created, updated: created };
      builder.watching({ id, userId, issueId, note: '', resourceAlreadyRead: true, ...times });
    }
  }

  private relations({ id, created_on, relations }: wire.WireIssue, key: string): void {
    const { builder, texts, losses } = this.context;
    for (const { issue_id, issue_to_id, relation_type } of relations) {
      const otherId = issue_id === id ? issue_to_id : issue_id;
      const other = texts.places.find(otherId);
      if (!other) losses.note('Relations to issues that are not imported', key);
      // Both issues show a relation; it is not older than the later one.
      if (!other || otherId > id) continue;
      builder.relatedIssues(id, otherId, created_on);
      if (relation_type === PLAIN_RELATION) continue;
      const [from, to] = issue_id === id ? [key, other.key] : [other.key, key];
      losses.note('Kinds of relations', `${from} ${relation_type} ${to}`.slice(0, 100));
    }
  }
}

/** Returns the latest journal that all may see; the owner of the key chooses their order. */
const lastJournalOf = ({ journals }: wire.WireIssue): wire.WireJournal | undefined =>
  journals
    .filter((journal) => !journal.private_notes)
    .reduce<wire.WireJournal | undefined>(
      (last, journal) => (last && last.created_on > journal.created_on ? last : journal),
      undefined,
    );
