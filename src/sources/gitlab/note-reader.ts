import type * as z from 'zod';
import { ForgeApi, type ForgeList } from '../forges/forge-api';
import { withPlace } from '../forges/place';
import { shownChange, stateChange, type Timeline, type TimelineEntry } from '../forges/timeline';
import { addressOf, type Query } from '../spool/json-api';
import { type Context, toText, userIdOf } from './context';
import { type NoteSubject, STATES, toSystemChanges } from './system-notes';
import { type Uploads } from './uploads';
import * as wire from './wire';

const NOTES: Query = { sort: 'asc', order_by: 'created_at' };

/** An issue or a merge request, whose comments and changes are read. */
export interface Noted {
  of: NoteSubject;
  iid: number;
  /** The path of its comments in the API, without `/notes`. */
  path: string;
  /** How texts name it, such as `#12`. */
  name: string;
  /** The object as its list shows it. */
  as: object;
}

/** Returns the addresses of the first pages of the notes and events of an issue or a merge request. */
export const notedAddresses = ({ of, path }: Pick<Noted, 'of' | 'path'>): string[] => [
  addressOf(`${path}/notes`, ForgeApi.pageQuery(NOTES)),
  ...EVENTS[of].map((name) => addressOf(`${path}/${name}`, ForgeApi.pageQuery())),
];

const EVENTS: Readonly<Record<NoteSubject, readonly string[]>> = {
  issue: ['resource_state_events', 'resource_label_events', 'resource_milestone_events'],
  pullRequest: ['resource_state_events'],
};

/** Reads the comments and changes of an issue or a merge request into a timeline, without those that only members may see. */
export class NoteReader {
  constructor(
    private readonly context: Context,
    private readonly timeline: Timeline,
  ) {}

  async read(noted: Noted, uploads: Uploads): Promise<void> {
    await this.notes(noted, uploads);
    await this.events(noted);
  }

  private async notes(noted: Noted, uploads: Uploads): Promise<void> {
    const { losses } = this.context;
    const { path, name } = noted;
    const api = this.context.api.about(noted.as);
    const list = { ...this.list(`${path}/notes`, wire.note), query: NOTES };
    for await (const page of api.pages(list)) {
      for (const note of page) {
        if (note.internal || note.confidential)
          losses.note('Internal notes, which only members may see', name);
        else if (note.system) this.systemNote(noted, note);
        else await this.comment(noted, note, uploads);
      }
    }
  }

  private async comment({ iid }: Noted, note: wire.WireNote, uploads: Uploads): Promise<void> {
    const { position, author, created_at: created } = note;
    await uploads.read(note.body, author, created);
    const body = withPlace(uploads.withNames(note.body), {
      path: position?.new_path ?? position?.old_path ?? '',
      line: position?.new_line ?? position?.old_line ?? null,
    });
    this.add(iid, 'note', note.id, {
      ...{ content: toText(this.context, body), changeLog: [], created, updated: note.updated_at },
      createdUserId: userIdOf(this.context, author),
    });
  }

  private systemNote({ of, iid, name }: Noted, note: wire.WireNote): void {
    const changeLog = toSystemChanges(note.body, of);
    if (!changeLog) {
      this.context.losses.note('Notes of the system that are no change of a field here', name);
      return;
    }
    this.change(iid, 'note', { id: note.id, user: note.author, created_at: note.created_at }, changeLog);
  }

  private async events({ of, iid, path, as }: Noted): Promise<void> {
    const api = this.context.api.about(as);
    const states = this.list(`${path}/resource_state_events`, wire.stateEvent);
    for await (const page of api.pages(states)) {
      for (const event of page) {
        const state = STATES.get(event.state);
        if (state) this.change(iid, 'state', event, [stateChange(state)]);
      }
    }
    if (of === 'pullRequest') return;
    const labels = this.list(`${path}/resource_label_events`, wire.labelEvent);
    for await (const page of api.pages(labels)) {
      for (const event of page) this.set(iid, 'component', event, event.label?.name);
    }
    const milestones = this.list(`${path}/resource_milestone_events`, wire.milestoneEvent);
    for await (const page of api.pages(milestones)) {
      for (const event of page) this.set(iid, 'milestone', event, event.milestone?.title);
    }
  }

  /** Adds a change by which an issue gets or loses a label or a milestone, unless that has been deleted since. */
  private set(
    iid: number,
    field: 'component' | 'milestone',
    event: AnyEvent & { action: string },
    name?: string,
  ): void {
    if (name === undefined) return;
    const isAdded = event.action === 'add';
    this.change(iid, field, event, [shownChange(field, isAdded ? name : '', isAdded ? '' : name)]);
  }

  private change(
    iid: number,
    list: string,
    { id, user, created_at: created }: AnyEvent,
    changeLog: TimelineEntry['changeLog'],
  ): void {
    const createdUserId = userIdOf(this.context, user);
    this.add(iid, list, id, { content: '', changeLog, createdUserId, created, updated: created });
  }

  private add(iid: number, list: string, id: number, entry: TimelineEntry): void {
    this.timeline.add(iid, { list, id }, entry);
  }

  private list<T extends { id: number }>(path: string, element: z.ZodType<T>): ForgeList<T> {
    return { path, element, keyOf: ({ id }) => id };
  }
}

/** Who has changed something, and when. */
interface AnyEvent {
  id: number;
  user?: wire.WireUser | null;
  created_at: number;
}
