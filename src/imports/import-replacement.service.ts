import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { ActivitiesService } from '../activities/activities.service';
import { type Actor } from '../audit-log/actor';
import { Environment } from '../config/environment';
import { ImportedProjectsService, type TakenKey } from '../projects/imported-projects.service';
import { counted } from '../quantities';
import { type ImportRow, ImportRunRepository } from './data/import-run.repository';
import { ImportError } from './import.error';
import { type ImportOptions } from './import-options';
import { type Person } from './import-people';
import { type ImportReport, MAX_NAMED, type ReplacedImport } from './import-plan';
import { ImportState } from './import-state';

const DAY_MS = 24 * 60 * 60_000;

/**
 * Replaces what earlier imports of the same name have published, when a later one is published. What somebody has added since then is never
 * replaced (`docs/decisions/0072-follow.md`).
 */
@Injectable()
export class ImportReplacementService {
  constructor(
    private readonly environment: Environment,
    private readonly runs: ImportRunRepository,
    private readonly projects: ImportedProjectsService,
    private readonly activities: ActivitiesService,
  ) {}

  /**
   * Returns the imports whose projects have these keys.
   * @param name of the import that replaces them
   * @throws ImportError if another project has one of the keys, an import has published more than these, or something was added since
   */
  async plan(name: string, taken: readonly TakenKey[]): Promise<ReplacedImport[]> {
    const earlier = await this.runs.findNamed(name, [ImportState.Done]);
    const replaced = new Map<number, ImportRow>();
    for (const { id, key } of taken) {
      const run = earlier.find(({ report }) => report?.projects.some((project) => project.id === id));
      if (!run) {
        throw new ImportError(
          `The project ${key} was not added by an import named ${JSON.stringify(name)}, so it is not replaced: delete it, or give one of the two another key.`,
        );
      }
      replaced.set(run.id, run);
    }
    const ids = new Set(taken.map(({ id }) => id));
    const plans: ReplacedImport[] = [];
    for (const run of replaced.values()) {
      const { projects } = run.report as ImportReport;
      const existing = new Set(await this.projects.findExisting(projects.map(({ id }) => id)));
      const left = projects.filter(({ id }) => existing.has(id) && !ids.has(id)).map(({ key }) => key);
      if (left.length > 0) {
        throw new ImportError(
          `Import ${run.id} has also added ${counted(left.length, 'project')} that would stay: ${left.slice(0, MAX_NAMED).join(', ')}. ` +
            'Import the same projects with the same keys, or delete the others.',
        );
      }
      plans.push({ id: run.id, projects: taken.filter(({ id }) => projects.some((one) => one.id === id)) });
    }
    for (const plan of plans) await this.requireUnchanged(plan);
    return plans;
  }

  /**
   * Deletes the projects of earlier imports. Must be the first to read in its transaction.
   * @throws ImportError if something was added to them since they were published
   */
  async replace(
    manager: EntityManager,
    actor: Actor,
    importId: number,
    replaced: readonly ReplacedImport[],
  ): Promise<void> {
    const projects = replaced.flatMap((plan) => plan.projects);
    if (projects.length === 0) return;
    await this.projects.lock(
      manager,
      projects.map(({ id }) => id),
    );
    for (const plan of replaced) {
      await this.requireUnchanged(plan, manager);
      await this.runs.update(manager, plan.id, {
        state: ImportState.Cancelling,
        error: `Replaced by import ${importId}.`,
      });
    }
    await this.projects.remove(manager, actor, projects);
  }

  /** Returns who people of an archive are by the options of earlier imports, and by what was joined since. */
  async peopleOf(
    replaced: readonly ReplacedImport[],
    people: readonly Person[],
  ): Promise<ImportOptions['users']> {
    const names = new Set(people.map(({ userId }) => userId));
    const pairs: [string, string][] = [];
    for (const { id } of replaced) {
      const { plan, options } = (await this.runs.find(id)) as ImportRow;
      pairs.push(...Object.entries({ ...plan?.users, ...options.users }));
    }
    return Object.fromEntries(pairs.filter(([from]) => names.has(from)));
  }

  /** Returns the last activity of each project, by which later changes are found; projects without activities have 0. */
  async lastActivities(manager: EntityManager, projectIds: readonly number[]): Promise<number[]> {
    const last: number[] = [];
    for (const id of projectIds) last.push((await this.activities.findLastId(id, manager)) ?? 0);
    return last;
  }

  private async requireUnchanged({ id, projects }: ReplacedImport, manager?: EntityManager): Promise<void> {
    const run = (await this.runs.find(id, manager)) as ImportRow;
    if (run.state !== ImportState.Done) throw new ImportError(`Import ${id} has been replaced already.`);
    const { ACTIVITY_DAYS } = this.environment;
    if (ACTIVITY_DAYS > 0 && (run.finished ?? 0) < Date.now() - ACTIVITY_DAYS * DAY_MS) {
      throw new ImportError(
        `Whether somebody has changed the projects of import ${id} since is unknown, because activities are removed after ${counted(ACTIVITY_DAYS, 'day')}: delete these projects, and import again.`,
      );
    }
    for (const project of projects) {
      const published = (run.report as ImportReport).projects.find((one) => one.id === project.id);
      const last = (await this.activities.findLastId(project.id, manager)) ?? 0;
      if (last <= (published?.lastActivityId ?? -1)) continue;
      throw new ImportError(
        `Somebody has changed ${project.key} since import ${id} has added it, which a new import would undo. ` +
          'If that may be lost, delete the project, and import again.',
      );
    }
  }
}
