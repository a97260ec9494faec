import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { CountLimitsService } from '../limits/count-limits.service';
import { ImportedProjectsService } from '../projects/imported-projects.service';
import { PROJECT_KEY } from '../projects/project-key';
import { UsedStorageService } from '../space/used-storage.service';
import { UsersService } from '../users/users.service';
import { counted, sizeText } from '../quantities';
import { ImportError } from './import.error';
import { matchPeople } from './import-people';
import { type ImportOptions } from './import-options';
import { type ImportPlan, MAX_NAMED, type PersonSource, type ReplacedImport } from './import-plan';
import { ImportReplacementService } from './import-replacement.service';
import { type CheckedImport } from './phases/check';

/** Compares a checked archive with the space, and plans the import. Writes nothing. */
@Injectable()
export class ImportPlanService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly users: UsersService,
    private readonly projects: ImportedProjectsService,
    private readonly usedStorage: UsedStorageService,
    private readonly limits: CountLimitsService,
    private readonly replacement: ImportReplacementService,
  ) {}

  /**
   * Returns the plan.
   * @param name of the import
   * @throws ImportError if a key is taken or an option does not fit, ResourceOverflowError if there is no room
   */
  async make(checked: CheckedImport, options: ImportOptions, name: string): Promise<ImportPlan> {
    const { contents, ids, uidMask } = checked;
    const attachments = ids.get('attachment');
    const projects = this.planProjects(checked, options);
    const replaced = await this.planReplacement(projects, options, name);
    const earlier = await this.replacement.peopleOf(replaced, checked.people);
    const matched = await matchPeople(this.users, checked.people, options, { earlier });
    const unknown = matched.filter(({ by }) => by === 'added');
    const active = await this.users.countActive(this.dataSource);
    if (unknown.length > 0) this.limits.require('user', active + unknown.length);
    const replacedCount = replaced.reduce((sum, one) => sum + one.projects.length, 0);
    await this.projects.requireRoom(projects.length - replacedCount);
    const room = await this.usedStorage.findRoom();
    if (room !== undefined && contents.files.bytes > room) {
      throw new ImportError(
        `The files have ${sizeText(contents.files.bytes)}, and the space has room for ${sizeText(Math.max(0, room))}.`,
      );
    }
    const people: Record<PersonSource, number> = { option: 0, mail: 0, userId: 0, added: 0 };
    for (const { by } of matched) people[by]++;
    const { files, repositories } = contents;
    return {
      records: Object.fromEntries(Object.entries(contents.records).map(([kind, { count }]) => [kind, count])),
      files: { count: files.count, bytes: files.bytes, lost: files.lost },
      repositories: {
        ...{ count: repositories.count, bytes: repositories.bytes, lost: repositories.lost },
        isLeftOut: repositories.isLeftOut ?? false,
      },
      projects,
      people,
      unknownPeople: unknown.slice(0, MAX_NAMED).map(({ person }) => person.userId),
      losses: lossesOf(checked, people.added, options),
      ...(attachments &&
        attachments.size > 0 && {
          attachments: { first: attachments.at(0), last: attachments.at(attachments.size - 1) },
        }),
      ...(uidMask !== undefined && { uidMask }),
      ...(replaced.length > 0 && { replaced, users: earlier }),
    };
  }

  private planProjects(
    { projects }: CheckedImport,
    { projects: renamed }: ImportOptions,
  ): ImportPlan['projects'] {
    const unknown = Object.keys(renamed).filter((key) => !projects.some((project) => project.key === key));
    if (unknown.length > 0) throw new ImportError(`The archive has no project ${unknown.join(', ')}.`);
    const planned = projects.map((project) => ({ ...project, as: renamed[project.key] ?? project.key }));
    const keys = planned.map(({ as }) => as);
    const invalid = keys.filter((key) => !PROJECT_KEY.test(key));
    if (invalid.length > 0) {
      throw new ImportError(
        `${JSON.stringify(invalid[0])} is not a key: give the project another one, such as OLD:NEW.`,
      );
    }
    const twice = keys.find((key, index) => keys.indexOf(key) !== index);
    if (twice !== undefined) throw new ImportError(`Two projects would have the key ${twice}.`);
    return planned;
  }

  private async planReplacement(
    projects: ImportPlan['projects'],
    { follows }: ImportOptions,
    name: string,
  ): Promise<ReplacedImport[]> {
    const keys = projects.map(({ as }) => as);
    const taken = keys.length === 0 ? [] : await this.projects.findTakenKeys(keys);
    const [first] = taken;
    if (!first) return [];
    if (follows) return this.replacement.plan(name, taken);
    const named = taken.map(({ key }) => key).slice(0, MAX_NAMED);
    throw new ImportError(
      `The space already has ${counted(taken.length, 'project')} with these keys: ${named.join(', ')}. ` +
        `Give others, such as ${first.key}:${first.key}2.`,
    );
  }
}

function lossesOf({ contents }: CheckedImport, added: number, { keepsAccounts }: ImportOptions): string[] {
  const { files, repositories, records } = contents;
  const losses: string[] = [];
  if (files.lost.length > 0)
    losses.push(`The contents of ${counted(files.lost.length, 'file')} are not in the archive.`);
  if (repositories.isLeftOut) losses.push('The contents of the git repositories are not in the archive.');
  if (repositories.lost.length > 0) {
    losses.push(
      `The contents of ${counted(repositories.lost.length, 'git repository', 'git repositories')} are not in the archive.`,
    );
  }
  if ((records.webhook?.count ?? 0) > 0) {
    losses.push(
      `${counted(records.webhook?.count ?? 0, 'webhook')} will be disabled, without secrets and with only the origins of their addresses.`,
    );
  }
  if (added > 0 && !keepsAccounts) {
    losses.push(
      `${counted(added, 'person', 'people')} will be disabled users without mail addresses: join them to others with pms user merge.`,
    );
  }
  return losses;
}
