import { type Losses } from '../losses';
import { type RedmineApi } from './redmine-api';
import { mapPriorities, mapStatus, type MappedStatus, NORMAL_PRIORITY } from './values';
import * as wire from './wire';

/** A status of Redmine, with what it becomes. */
export interface KnownStatus extends MappedStatus {
  name: string;
  /** Its place among all, from 0. */
  position: number;
}

/** The settings that the projects of a Redmine share. */
export class Catalog {
  private readonly statuses = new Map<number, KnownStatus>();
  private readonly priorityNames = new Map<number, string>();
  private readonly trackerNames = new Map<number, string>();
  private priorities = new Map<number, number>();
  private fields?: ReadonlyMap<number, wire.WireCustomField>;
  private readonly noted = new Set<string>();

  /** @param projects names by id */
  private constructor(readonly projects: ReadonlyMap<number, string>) {}

  static async read(api: RedmineApi, projects: ReadonlyMap<number, string>): Promise<Catalog> {
    const catalog = new Catalog(projects);
    for (const [position, status] of (
      (await api.find(wire.statuses, '/issue_statuses.json')) ?? []
    ).entries()) {
      const { id, name, is_closed } = status;
      catalog.statuses.set(id, { ...mapStatus(name, is_closed), name, position });
    }
    const priorities = (await api.find(wire.priorities, '/enumerations/issue_priorities.json')) ?? [];
    for (const { id, name } of priorities) catalog.priorityNames.set(id, name);
    catalog.priorities = mapPriorities(priorities);
    for (const { id, name } of (await api.find(wire.trackers, '/trackers.json')) ?? []) {
      catalog.trackerNames.set(id, name);
    }
    const fields = await api.find(wire.customFields, '/custom_fields.json');
    if (fields) catalog.fields = new Map(fields.map((field) => [field.id, field]));
    return catalog;
  }

  /** Whether the key may see how custom fields are defined. */
  get knowsFields(): boolean {
    return this.fields !== undefined;
  }

  /** Returns a status; one that is not listed is not closed. */
  status(id: number, name: string): KnownStatus {
    return this.statuses.get(id) ?? { ...mapStatus(name, false), name, position: this.statuses.size };
  }

  statusName = (id: number): string | undefined => this.statuses.get(id)?.name;

  priority(id: number | undefined): number {
    return (id === undefined ? undefined : this.priorities.get(id)) ?? NORMAL_PRIORITY;
  }

  priorityName = (id: number): string | undefined => this.priorityNames.get(id);

  trackerName = (id: number): string | undefined => this.trackerNames.get(id);

  /** Notes that a name has become another. */
  noteRenamed(losses: Losses, what: string, from: string, to: string): void {
    if (from !== to) this.noteOnce(losses, `Names of ${what}`, `${from} has become ${to}`);
  }

  /** Notes the loss of a setting once, of however many projects it is. */
  noteOnce(losses: Losses, loss: string, setting: string): void {
    const key = JSON.stringify([loss, setting]);
    if (this.noted.has(key)) return;
    this.noted.add(key);
    losses.note(loss, setting);
  }

  field(id: number): wire.WireCustomField | undefined {
    return this.fields?.get(id);
  }
}
